import { createHash } from 'node:crypto';
import { encodeBase58 } from 'ethers';
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

/**
 * The value of a role. `nth` chooses among several; `subject` is the number of the resource that the request is about.
 */
type Resolver = (view: View, nth: number, subject: number) => string;

/** A resource with an id, or a value that must fit another one in the request. */
const ROLES = {
  offer: ({ mine }, nth) => pick(mine.ids('offer'), nth) ?? `offer_${NOBODY}`,
  price: ({ mine }, nth) => pick(mine.prices, nth)?.id ?? `price_${NOBODY}`,
  offerOfPrice: ({ mine }, nth) => pick(mine.prices, nth)?.offerId ?? `offer_${NOBODY}`,
  recurringPrice: ({ mine }, nth) => recurring(mine, nth)?.id ?? `price_${NOBODY}`,
  offerOfRecurringPrice: ({ mine }, nth) => recurring(mine, nth)?.offerId ?? `offer_${NOBODY}`,
  tokenOfRecurringPrice: ({ mine }, nth) => pick(recurring(mine, nth)?.tokens ?? [], nth) ?? 'usdc-base',
  priceBeside: ({ mine }, nth) => priceBeside(mine, nth) ?? `price_${NOBODY}`,
  customer: ({ mine }, nth) => pick(mine.customers, nth)?.id ?? `cust_${NOBODY}`,
  payingCustomer: (view, nth) => payingCustomer(view, nth) ?? `cust_${NOBODY}`,
  subscription: ({ mine }, nth) => subscription(mine, nth)?.id ?? `sub_${NOBODY}`,
  payment: ({ mine }, nth) => pick(mine.ids('pay'), nth) ?? `pay_${NOBODY}`,
  settledPayment: ({ mine }, nth) => pick(mine.settledPayments, nth)?.id ?? `pay_${NOBODY}`,
  refund: ({ mine }, nth) => pick(mine.refunds, nth)?.id ?? `ref_${NOBODY}`,
  paymentOfRefund: ({ mine }, nth) => pick(mine.refunds, nth)?.paymentId ?? `pay_${NOBODY}`,
  wallet: ({ mine }, nth) => pick(mine.ids('wal'), nth) ?? `wal_${NOBODY}`,
  event: ({ mine }, nth) => pick(mine.ids('evt'), nth) ?? `evt_${NOBODY}`,
  coupon: ({ mine }, nth) => pick(mine.ids('cpn'), nth) ?? `cpn_${NOBODY}`,
  deleted: ({ mine }, nth) => pick(mine.deleted, nth) ?? `offer_${NOBODY}`,
  token: ({ tokens }, nth) => pick(tokens, nth)?.key ?? 'usdc-base',
  receiver: ({ tokens, wallets }, nth, subject) =>
    isSolana(tokens, subject) ? solanaAddress(nth) : (pick(wallets.receivers, nth) ?? wallets.receivers[0]),
  payer: ({ tokens, wallets }, nth, subject) =>
    isSolana(tokens, subject) ? solanaAddress(nth + 1) : (pick(wallets.payers, nth) ?? wallets.payers[0]),
  evmPayer: ({ wallets }, nth) => pick(wallets.payers, nth) ?? wallets.payers[0],
  evmAddress: (_, nth) => evmAddress(nth),
  othersAddress: ({ othersAddresses }, nth) => pick(othersAddresses, nth) ?? evmAddress(nth),
  solanaAddress: (_, nth) => solanaAddress(nth),
  fresh: ({ fresh }) => fresh(),
  usedKey: ({ mine }, nth) => pick(mine.keys, nth) ?? 'key',
  usedSlug: ({ mine }, nth) => pick(mine.slugs, nth) ?? 'slug',
  soon: ({ now }, nth) => new Date(now.getTime() + (nth + 1) * HOUR_MS).toISOString(),
} as const satisfies Record<string, Resolver>;

export type Role = keyof typeof ROLES;

/** Names a value that is known only when the request is sent. */
export interface Reference {
  readonly role: Role;
  /** null: that of the resource that the whole request is about, so that related values fit together. */
  readonly nth: number | null;
  /** True if it belongs to another tenant. */
  readonly isOthers: boolean;
}

/** Resolves the references of one request. A reference without its own `nth` uses the request's. */
export function resolverOf(view: View, nth: number): (reference: Reference) => string {
  return ({ role, nth: own, isOthers }) =>
    ROLES[role](isOthers ? { ...view, mine: view.others } : view, own ?? nth, nth);
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
