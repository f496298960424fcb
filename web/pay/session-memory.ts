import { inChosenLanguage } from '../i18n/page-language.ts';
import { store, stored } from '../ui/stored.ts';
import { toBase64Url } from './base64.ts';
import type { Chosen, Signed } from './checkout-api.ts';
import type { Choice } from './choice.ts';
import type { Flow } from './flow.ts';
import type { Purchase } from './purchase.ts';
import type { Wallet } from './wallets/wallet.ts';

/** The wallet that a tab was connected to: enough to find it again, without secrets. */
export type RememberedWallet = Pick<Wallet, 'family' | 'name' | 'address'>;

function rememberedOf({ family, name, address }: Wallet): RememberedWallet {
  return { family, name, address };
}

/** The memory of a tab about a checkout, so that a reload continues the same session. */
export interface Remembered extends Chosen {
  /** Of a link: its token. */
  readonly sessionKey: string;
  readonly collected: { readonly [key: string]: string };
  /** null: not signed (yet), or paid by a transfer. */
  readonly signed: Signed | null;
  /** Nothing has been sent, so the service does not know this session. */
  readonly isDraft: boolean;
  readonly method?: 'wallet' | 'transfer';
  /** Of the price and token above. */
  readonly choice?: Choice;
  /** Of a transfer whose end a tab has shown, and that has no address for refunds. */
  readonly isOver?: boolean;
  /** null: disconnected. */
  readonly wallet?: RememberedWallet | null;
}

const KEY = /^[A-Za-z0-9_-]{16,100}$/;

/** 32 random bytes: anybody who has them can see the session. */
export function newSessionKey(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * The address of this page for another browser, which then shows the same session; before anything is sent, with the
 * same choice.
 */
export function addressElsewhere(at: Chosen & Pick<Remembered, 'sessionKey'>): string {
  const { sessionKey, priceId, tokenKey, quantity, coupon } = at;
  const page = inChosenLanguage(`${location.origin}${location.pathname}`);
  const more = { ...(quantity === undefined ? {} : { quantity: String(quantity) }), ...(coupon && { coupon }) };
  return `${page}#${new URLSearchParams({ session: sessionKey, price: priceId, token: tokenKey, ...more })}`;
}

/** A session, and as much of its memory as there is. */
export type Memory = Partial<Remembered> & Pick<Remembered, 'sessionKey'>;

/**
 * The session that the address names and that this browser has not made; null: none. Whoever made it sees all of it and
 * can name its refund wallet, so it is used only if the payer says that they began it.
 */
export function sessionFromElsewhere(offerId: string): Memory | null {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const named = fragment.get('session') ?? '';
  if (!KEY.test(named) || named === recall(offerId)?.sessionKey) return null;
  const kept = keptTransfers(offerId).find(({ sessionKey }) => sessionKey === named);
  if (kept !== undefined) {
    continueWith(offerId, kept);
    return null;
  }
  const [priceId, tokenKey] = [fragment.get('price'), fragment.get('token')];
  const quantity = Number(fragment.get('quantity') ?? 0);
  const coupon = fragment.get('coupon');
  return {
    sessionKey: named,
    ...(priceId === null ? {} : { priceId }),
    ...(tokenKey === null ? {} : { tokenKey }),
    ...(quantity > 0 ? { quantity } : {}),
    ...(coupon === null ? {} : { coupon }),
  };
}

/** Stored at each choice, so that a reload continues with it. */
export function note(offerId: string, what: Memory): void {
  const kept = recall(offerId);
  const same = kept?.sessionKey === what.sessionKey ? kept : { isDraft: true };
  // A frame without storage asks again after a reload: it has only the fragment.
  store('sessionStorage', nameOf(offerId), { ...same, ...what });
}

/** Notes each later choice and wallet of a flow. Returns the function that ends this. */
export function noteChanges<S extends Purchase>(flow: Flow<S>, offerId: string, chosen: Memory): () => void {
  const { sessionKey } = chosen;
  let before = flow.store.getSnapshot().context;
  const subscription = flow.store.subscribe(({ context }) => {
    const { choice, wallet } = context;
    if (choice !== before.choice) note(offerId, { ...chosen, choice });
    if (wallet !== before.wallet) note(offerId, { sessionKey, wallet: wallet && rememberedOf(wallet) });
    before = context;
  });
  return () => subscription.unsubscribe();
}

/**
 * From now on this tab is at that session. Call it before the request that opens the session: then a lost answer loses
 * nothing.
 */
export function continueWith(offerId: string, what: Memory): void {
  note(offerId, { ...what, isDraft: false });
  history.replaceState(null, '', `#session=${what.sessionKey}`);
}

export function forget(offerId: string): void {
  store('sessionStorage', nameOf(offerId), null);
  clearFragment();
}

/** The address names no session then. */
export function clearFragment(): void {
  history.replaceState(null, '', location.pathname + location.search);
}

function nameOf(offerId: string): string {
  return `tideline:${offerId}`;
}

/** The session that this tab has made or continued; null: none. */
export function recall(offerId: string): Memory | null {
  const kept = stored<unknown>('sessionStorage', nameOf(offerId));
  return isRemembered(kept) ? kept : null;
}

/** So many transfers of one offer are kept. */
const KEPT_MAX = 5;

/**
 * The transfers for an offer that this browser has begun in any tab and not seen the end of, or that have no address
 * for refunds; the newest first.
 */
export function keptTransfers(offerId: string): readonly Memory[] {
  const kept = stored<unknown>('localStorage', `${nameOf(offerId)}:transfers`);
  return Array.isArray(kept) ? kept.filter(isRemembered) : [];
}

/** Keeps a transfer beyond its tab: money may be on its way to it. False: this browser stores nothing. */
export function keepTransfer(offerId: string, what: Memory): boolean {
  return storeTransfers(offerId, [what, ...keptBut(offerId, what.sessionKey)]);
}

export function dropTransfer(offerId: string, sessionKey: string): boolean {
  return storeTransfers(offerId, keptBut(offerId, sessionKey));
}

function keptBut(offerId: string, key: string): readonly Memory[] {
  return keptTransfers(offerId).filter(({ sessionKey }) => sessionKey !== key);
}

function storeTransfers(offerId: string, transfers: readonly Memory[]): boolean {
  return store('localStorage', `${nameOf(offerId)}:transfers`, transfers.slice(0, KEPT_MAX));
}

function isRemembered(kept: unknown): kept is Remembered {
  return typeof kept === 'object' && kept !== null && 'sessionKey' in kept && typeof kept.sessionKey === 'string';
}
