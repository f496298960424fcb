import { createHash } from 'node:crypto';
import { encodeBase58 } from 'ethers';
import { z } from 'zod';

/** Fields that hold a merchant's own keys, as sent. */
export const FREE_FIELDS = [
  'afterCompletion',
  'features',
  'collectFields',
  'allowedPaymentMethods',
  'metadata',
  'customVariables',
] as const;
const FREE: ReadonlySet<string> = new Set(FREE_FIELDS);

/** All objects of an answer outside of free-form fields and `without`. */
export function objectsIn(value: unknown, without?: string): object[] {
  if (Array.isArray(value)) return value.flatMap((item) => objectsIn(item, without));
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).filter(([key]) => !FREE.has(key) && key !== without);
  return [value, ...inner.flatMap(([, each]) => objectsIn(each, without))];
}

const resource = z.looseObject({ id: z.string() });
type Resource = z.output<typeof resource>;

/** The resources of a tenant by the prefix of their ids, as its answers have shown them. It never changes. */
export type Known = ReadonlyMap<string, readonly Resource[]>;

/** How many of each kind are kept; the newest. */
const KEPT = 40;

const offer = z.object({ id: z.string(), pricing: z.array(resource) });
const advanced = z.object({ subscriptionId: z.string(), status: z.string() });

/** The known resources after a successful answer. `isDeletion`: of a batch that deletes. */
export function learned(known: Known, body: unknown, isDeletion = false): Known {
  const all = new Map(known);
  const note = (found: Resource): void => {
    const kind = found.id.split('_')[0] ?? '';
    const others = (all.get(kind) ?? []).filter(({ id }) => id !== found.id);
    const before = all.get(kind)?.find(({ id }) => id === found.id);
    all.set(kind, [...others, { ...before, ...found }].slice(-KEPT));
  };
  // The data of an event is of the past.
  for (const each of objectsIn(body, 'data')) {
    const found = resource.safeParse(each).data;
    const after = advanced.safeParse(each).data;
    const { id: offerId, pricing = [] } = offer.safeParse(each).data ?? {};
    if (isDeletion && found?.['status'] === 200) note({ id: found.id, deleted: true });
    else if (found !== undefined) note(found);
    else if (after !== undefined) note({ id: after.subscriptionId, status: after.status });
    for (const price of pricing) note({ ...price, offerId });
  }
  return all;
}

export function together(...tenants: readonly Known[]): Known {
  const kinds = new Set(tenants.flatMap((each) => [...each.keys()]));
  return new Map([...kinds].map((kind) => [kind, tenants.flatMap((each) => each.get(kind) ?? [])]));
}

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
  readonly mine: Known;
  /** Resources of others whose ids the sender could know. */
  readonly others: Known;
  readonly othersAddress: string;
  /** The tokens that the key may use. */
  readonly tokens: readonly Token[];
  readonly wallets: Wallets;
  readonly now: Date;
  /** A text that was never used before. */
  readonly fresh: () => string;
}

/** A small number, so that several requests hit the same subscription. */
const LIVE_KEPT = 8;
const HOUR_MS = 3_600_000;

/** A role's value. `nth` chooses among several; `subject`: the number of the request's own resource. */
type Resolver = (view: View, nth: number, subject: number) => string;

/** A field of the nth resource of a kind; an id of nothing if there is none. */
function of(kind: string, field = 'id', isMeant: (one: Resource) => boolean = () => true): Resolver {
  return ({ mine }, nth) => textOf(pick(living(mine, kind).filter(isMeant), nth), field, kind);
}

function textOf(found: Resource | undefined, field: string, kind: string): string {
  const value = found?.[field];
  return typeof value === 'string' ? value : `${kind}_${'0'.repeat(26)}`;
}

const recurring = z.object({ active: z.literal(true), billing: z.object({ type: z.literal('recurring') }) });
const isActive = ({ active }: Resource) => active === true;
const isRecurring = (price: Resource) => recurring.safeParse(price).success;

/** A resource with an id, or a value that must fit another one in the request. */
const ROLES = {
  offer: of('offer'),
  price: of('price', 'id', isActive),
  offerOfPrice: of('price', 'offerId', isActive),
  tokenOfPrice: ({ mine }, nth) => tokenOf(pick(living(mine, 'price').filter(isActive), nth), nth),
  priceBeside: ({ mine }, nth) => textOf(priceBeside(mine, nth), 'id', 'price'),
  customer: of('cust'),
  subscription: ({ mine }, nth) => textOf(subscription(mine, nth), 'id', 'sub'),
  payment: of('pay'),
  settledPayment: of('pay', 'id', ({ status }) => status === 'settled'),
  refund: of('ref'),
  paymentOfRefund: of('ref', 'paymentId'),
  wallet: of('wal'),
  event: of('evt'),
  coupon: of('cpn'),
  deleted: ({ mine }, nth) =>
    textOf(
      pick(
        every(mine).filter((one) => 'deleted' in one),
        nth,
      ),
      'id',
      'offer',
    ),
  token: ({ tokens }, nth) => pick(tokens, nth)?.key ?? 'usdc-base',
  receiver: ({ tokens, wallets }, nth, subject) =>
    isSolana(tokens, subject) ? solanaAddress(nth) : (pick(wallets.receivers, nth) ?? wallets.receivers[0]),
  payer: ({ tokens, wallets }, nth, subject) =>
    isSolana(tokens, subject) ? solanaAddress(nth + 1) : (pick(wallets.payers, nth) ?? wallets.payers[0]),
  evmPayer: ({ wallets }, nth) => pick(wallets.payers, nth) ?? wallets.payers[0],
  evmAddress: (_, nth) => evmAddress(nth),
  othersAddress: ({ othersAddress }) => othersAddress,
  solanaAddress: (_, nth) => solanaAddress(nth),
  fresh: ({ fresh }) => fresh(),
  usedKey: ({ mine }, nth) => pick(textsIn(mine, 'idempotencyKey'), nth) ?? 'key',
  usedSlug: ({ mine }, nth) => pick(textsIn(mine, 'identifier'), nth) ?? 'slug',
  soon: ({ now }, nth) => new Date(now.getTime() + (nth + 1) * HOUR_MS).toISOString(),
} as const satisfies Record<string, Resolver>;

export type Role = keyof typeof ROLES;

/** The references of one request: those without a number of their own take `nth`, that of its resource. */
export function resolverOf(view: View, nth: number) {
  const ofOthers = { ...view, mine: view.others };
  return (role: string, own: number | null, isOthers: boolean): string =>
    isRole(role) ? ROLES[role](isOthers ? ofOthers : view, own ?? nth, nth) : role;
}

function isRole(role: string): role is Role {
  return Object.hasOwn(ROLES, role);
}

function pick<T>(list: readonly T[], nth: number): T | undefined {
  return list[nth % Math.max(1, list.length)];
}

function every(known: Known): readonly Resource[] {
  return [...known.values()].flat();
}

function living(known: Known, kind: string): readonly Resource[] {
  return (known.get(kind) ?? []).filter((one) => !('deleted' in one));
}

function textsIn(known: Known, field: string): string[] {
  return every(known).flatMap((one) => (typeof one[field] === 'string' && one[field] !== '' ? [one[field]] : []));
}

const withTokens = z.object({ acceptedTokens: z.array(z.object({ tokenKey: z.string() })) });

function tokenOf(price: Resource | undefined, nth: number): string {
  return pick(withTokens.safeParse(price).data?.acceptedTokens ?? [], nth)?.tokenKey ?? 'usdc-base';
}

/** Mostly one that can still be charged, so that requests get further than a conflict. */
function subscription(mine: Known, nth: number): Resource | undefined {
  const live = living(mine, 'sub').filter(({ status }) => status !== 'canceled');
  return pick(live.length === 0 || nth % 5 === 4 ? living(mine, 'sub') : live.slice(-LIVE_KEPT), nth);
}

/** Another recurring price of the subscription's offer, if there is one. */
function priceBeside(mine: Known, nth: number): Resource | undefined {
  const own = subscription(mine, nth);
  const beside = living(mine, 'price').filter(
    (price) => isRecurring(price) && price['offerId'] === own?.['offerId'] && price.id !== own?.['offerPriceId'],
  );
  return pick(beside, nth);
}

function isSolana(tokens: readonly Token[], nth: number): boolean {
  return pick(tokens, nth)?.family === 'solana';
}

/** The same address for the same number, in lower case, which needs no checksum. */
export function evmAddress(nth: number | string): string {
  return `0x${digest(`evm ${nth}`).toString('hex').slice(0, 40)}`;
}

function solanaAddress(nth: number): string {
  return encodeBase58(digest(`solana ${nth}`));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
