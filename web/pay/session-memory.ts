import type { ChainFamily } from '../../src/checkout/wire.ts';
import type { Signed } from './checkout-api.ts';
import type { Choice } from './choice.ts';
import type { Wallet } from './wallets/wallet.ts';

/** The wallet that a tab was connected to: enough to find it again, and nothing that it keeps secret. */
export interface RememberedWallet {
  readonly family: ChainFamily;
  readonly name: string;
  readonly address: string;
}

export function rememberedOf({ family, name, address }: Wallet): RememberedWallet {
  return { family, name, address };
}

/** What a tab remembers of a checkout, so that a reload goes on with the same session instead of making another. */
export interface Remembered {
  /** Of a link: its token. */
  readonly sessionKey: string;
  readonly priceId: string;
  readonly tokenKey: string;
  readonly collected: { readonly [key: string]: string };
  /** null: nothing has been signed (yet), or it is paid by a transfer. */
  readonly signed: Signed | null;
  /** Nothing has been sent: the service knows no such session. */
  readonly isDraft: boolean;
  readonly method?: 'wallet' | 'transfer';
  /** Of the price and token above. */
  readonly choice?: Choice;
  /** null: none is connected any more. */
  readonly wallet?: RememberedWallet | null;
}

const FRAGMENT = /^#session=([A-Za-z0-9_-]{16,100})$/;

/** 32 random bytes: whoever knows it sees the session. */
export function newSessionKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** What was remembered for this offer; the fragment of the address goes before, so that a copied address shows the same. */
export function recall(offerId: string): (Partial<Remembered> & Pick<Remembered, 'sessionKey'>) | null {
  const stored = read(offerId);
  const named = FRAGMENT.exec(location.hash)?.[1];
  if (named !== undefined && named !== stored?.sessionKey) return { sessionKey: named };
  return stored;
}

/** Kept as it is chosen, so that a reload goes on with it. */
export function note(offerId: string, what: Partial<Remembered> & Pick<Remembered, 'sessionKey'>): void {
  try {
    const kept = read(offerId);
    const same = kept?.sessionKey === what.sessionKey ? kept : { isDraft: true };
    sessionStorage.setItem(nameOf(offerId), JSON.stringify({ ...same, ...what }));
  } catch {
    // A frame without storage: the fragment alone has to do.
  }
}

/** Kept before anything is sent: an answer that is lost then loses nothing. */
export function remember(offerId: string, what: Omit<Remembered, 'isDraft'>): void {
  note(offerId, { ...what, isDraft: false });
  history.replaceState(null, '', `#session=${what.sessionKey}`);
}

export function forget(offerId: string): void {
  try {
    sessionStorage.removeItem(nameOf(offerId));
  } catch {
    // Nothing was kept either.
  }
  history.replaceState(null, '', location.pathname + location.search);
}

function nameOf(offerId: string): string {
  return `tideline:${offerId}`;
}

function read(offerId: string): Remembered | null {
  try {
    const text = sessionStorage.getItem(nameOf(offerId));
    const kept: unknown = text === null ? null : JSON.parse(text);
    return isRemembered(kept) ? kept : null;
  } catch {
    return null;
  }
}

function isRemembered(kept: unknown): kept is Remembered {
  return typeof kept === 'object' && kept !== null && 'sessionKey' in kept && typeof kept.sessionKey === 'string';
}
