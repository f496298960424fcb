import { createHash } from 'node:crypto';
import { encodeBase58 } from 'ethers';
import type { Ref, Resolve, Role } from './node.ts';
import type { Possessions } from './possessions.ts';

/** A token that a key may name. */
export interface Token {
  readonly key: string;
  readonly family: 'evm' | 'solana';
}

/** Wallets on the chain on which the charges happen. */
export interface Wallets {
  /** EVM addresses: the first pays, the others cause the failures of chains and payers. */
  readonly payers: readonly [string, ...string[]];
  /** EVM addresses that accept or refuse payments. */
  readonly receivers: readonly [string, ...string[]];
}

/** The data that references are resolved with. */
export interface View {
  readonly mine: Possessions;
  /** Resources of others whose ids the sender could know. */
  readonly others: Possessions;
  readonly othersAddresses: readonly string[];
  /** The tokens that the key may use come first. */
  readonly tokens: readonly Token[];
  readonly wallets: Wallets;
  readonly now: Date;
  /** A text that was never used before. */
  readonly fresh: () => string;
}

const NOBODY = '0'.repeat(26);
/** A small number, so that several requests hit the same subscription. */
const LIVE_KEPT = 8;
const HOUR_MS = 3_600_000;

/** Resolves the references of one request. A reference without its own `nth` uses the request's. */
export function resolverOf(view: View, nth: number): Resolve {
  return (ref) => resolved(view, ref.role, ref.nth ?? nth, nth, ref);
}

function resolved(view: View, role: Role, nth: number, subject: number, ref: Ref): string {
  const { mine, others, tokens, wallets } = view;
  switch (role) {
    case 'offer':
      return pick(mine.offers, nth) ?? `offer_${NOBODY}`;
    case 'price':
      return pick(mine.prices, nth)?.id ?? `price_${NOBODY}`;
    case 'offerOfPrice':
      return pick(mine.prices, nth)?.offerId ?? `offer_${NOBODY}`;
    case 'recurringPrice':
      return recurring(mine, nth)?.id ?? `price_${NOBODY}`;
    case 'offerOfRecurringPrice':
      return recurring(mine, nth)?.offerId ?? `offer_${NOBODY}`;
    case 'tokenOfRecurringPrice':
      return pick(recurring(mine, nth)?.tokens ?? [], nth) ?? 'usdc-base';
    case 'priceBeside':
      return priceBeside(mine, nth) ?? `price_${NOBODY}`;
    case 'customer':
      return pick(mine.customers, nth)?.id ?? `cust_${NOBODY}`;
    case 'payingCustomer':
      return payingCustomer(view, nth) ?? `cust_${NOBODY}`;
    case 'subscription':
      return subscription(mine, nth)?.id ?? `sub_${NOBODY}`;
    case 'payment':
      return pick(mine.payments, nth) ?? `pay_${NOBODY}`;
    case 'wallet':
      return pick(mine.wallets, nth) ?? `wal_${NOBODY}`;
    case 'event':
      return pick(mine.events, nth) ?? `evt_${NOBODY}`;
    case 'deleted':
      return pick(mine.deleted, nth) ?? `offer_${NOBODY}`;
    case 'token':
      return pick(tokens, nth)?.key ?? 'usdc-base';
    case 'receiver':
      return isSolana(tokens, subject) ? solanaAddress(nth) : (pick(wallets.receivers, nth) ?? wallets.receivers[0]);
    case 'payer':
      return isSolana(tokens, subject) ? solanaAddress(nth + 1) : (pick(wallets.payers, nth) ?? wallets.payers[0]);
    case 'evmPayer':
      return pick(wallets.payers, nth) ?? wallets.payers[0];
    case 'evmAddress':
      return evmAddress(nth);
    case 'solanaAddress':
      return solanaAddress(nth);
    case 'freshKey':
    case 'freshSlug':
      return view.fresh();
    case 'usedKey':
      return pick(mine.keys, nth) ?? 'key';
    case 'usedSlug':
      return pick(mine.slugs, nth) ?? 'slug';
    case 'soon':
      return new Date(view.now.getTime() + (nth + 1) * HOUR_MS).toISOString();
    case 'othersOffer':
      return pick(others.offers, nth) ?? `offer_${NOBODY}`;
    case 'othersPrice':
      return pick(others.prices, nth)?.id ?? `price_${NOBODY}`;
    case 'othersCustomer':
      return pick(others.customers, nth)?.id ?? `cust_${NOBODY}`;
    case 'othersSubscription':
      return pick(others.subscriptions, nth)?.id ?? `sub_${NOBODY}`;
    case 'othersPayment':
      return pick(others.payments, nth) ?? `pay_${NOBODY}`;
    case 'othersWallet':
      return pick(others.wallets, nth) ?? `wal_${NOBODY}`;
    case 'othersEvent':
      return pick(others.events, nth) ?? `evt_${NOBODY}`;
    case 'othersKey':
      return pick(others.keys, nth) ?? 'key';
    case 'othersAddress':
      return pick(view.othersAddresses, nth) ?? evmAddress(nth);
    default: {
      const never: never = role;
      throw new Error(`unknown role ${String(never)} of ${JSON.stringify(ref)}`);
    }
  }
}

function pick<T>(list: readonly T[], nth: number): T | undefined {
  return list[nth % Math.max(1, list.length)];
}

function recurring({ prices }: Possessions, nth: number) {
  return pick(
    prices.filter(({ isRecurring }) => isRecurring),
    nth,
  );
}

/** Mostly one that can still be charged, so that requests get further than a conflict. */
function subscription({ subscriptions }: Possessions, nth: number) {
  const live = subscriptions.filter(({ isLive }) => isLive).slice(-LIVE_KEPT);
  return live.length === 0 || nth % 5 === 4 ? pick(subscriptions, nth) : pick(live, nth);
}

/** Mostly one whose wallet the chain knows. */
function payingCustomer({ mine, wallets }: View, nth: number): string | undefined {
  const known = new Set(wallets.payers.map((payer) => payer.toLowerCase()));
  const paying = mine.customers.filter(({ address }) => address !== null && known.has(address.toLowerCase()));
  return (paying.length === 0 || nth % 5 === 4 ? pick(mine.customers, nth) : pick(paying, nth))?.id;
}

/** Another recurring price of the subscription's offer; null: there is none. */
function priceBeside(mine: Possessions, nth: number): string | null {
  const of = subscription(mine, nth);
  if (of === undefined) return null;
  const beside = mine.prices.filter(
    ({ id, offerId, isRecurring }) => isRecurring && offerId === of.offerId && id !== of.priceId,
  );
  return pick(beside, nth)?.id ?? of.priceId;
}

function isSolana(tokens: readonly Token[], nth: number): boolean {
  return pick(tokens, nth)?.family === 'solana';
}

/** The same address for the same number, in lower case, which needs no checksum. */
export function evmAddress(nth: number | string): string {
  return `0x${digest(`evm ${nth}`).toString('hex').slice(0, 40)}`;
}

function solanaAddress(nth: number | string): string {
  return encodeBase58(digest(`solana ${nth}`));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
