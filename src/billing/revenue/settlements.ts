import { z } from 'zod';
import type { Catalog } from '../../chains/catalog.ts';
import { type ListPage, type Page, readPage } from '../../model/lists.ts';
import { paymentAttributes, paymentContextOf, settledAtOf } from '../../model/payment.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import type { Tally } from '../../store/port.ts';
import { type TenantWhere, tenantStore } from '../../store/tenant.ts';
import { keptTally } from './kept-tally.ts';
import { monthAfter } from './months.ts';
import { customerNames, offerNames } from './names.ts';
import { inTokens, type RevenueDeps } from './revenue.ts';

/** A token as accountants name it. */
interface TokenNames {
  readonly tokenKey: string;
  /** The ticker. */
  readonly token: string;
  readonly network: string;
}

/** One settled payment. Amounts are base units; `net` is `gross` less `fee`. */
export interface Settlement extends TokenNames {
  readonly id: string;
  readonly settledAt: Date;
  readonly customerId: string | null;
  readonly customerName: string | null;
  readonly offerId: string | null;
  readonly offerName: string | null;
  readonly gross: bigint;
  readonly fee: bigint;
  readonly transaction: string | null;
}

/** The settled payments of one token. */
export interface SettlementSum extends TokenNames {
  readonly payments: number;
  readonly gross: bigint;
  readonly fee: bigint;
}

/** In the order in which they settled. */
const OLDEST_FIRST = [['context.settledAt', 1]] as const;

/** The most settlements in memory at once. */
const PART = 200;

/** The payments that settled in the month from this moment (UTC), oldest first. Throws 400 for an unknown cursor. */
export async function listSettlements(
  deps: Pick<RevenueDeps, 'store' | 'catalog'>,
  tenant: Tenant,
  month: Date,
  page: Page,
): Promise<ListPage<Settlement>> {
  const own = tenantStore(deps.store, tenant);
  const { items, hasMore } = await readPage<ActorDoc>(page, {
    sort: OLDEST_FIRST,
    get: (id) => own.actor('payment', id),
    find: (query) => own.findActors('payment', { where: settledIn(month), ...query }),
  });
  return { items: await withNames(deps, tenant, items), hasMore };
}

/** All of them, in parts: no more are in memory than one part. */
export async function* settlementsOf(
  deps: Pick<RevenueDeps, 'store' | 'catalog'>,
  tenant: Tenant,
  month: Date,
): AsyncGenerator<readonly Settlement[]> {
  for (let startingAfter: string | undefined, hasMore = true; hasMore; ) {
    const found = await listSettlements(deps, tenant, month, { limit: PART, start: 0, startingAfter });
    yield found.items;
    startingAfter = found.items.at(-1)?.id;
    hasMore = found.hasMore;
  }
}

/** The sums of a month by token, added up by the database. */
export async function sumSettlements(deps: RevenueDeps, tenant: Tenant, month: Date): Promise<SettlementSum[]> {
  const [gross, fee] = await Promise.all(
    ['context.amount', 'attributes.platformAmount'].map((sum) =>
      keptTally(deps, tenant, 'payment', {
        where: settledIn(month),
        by: ['attributes.tokenKey'],
        period: null,
        sum,
      }),
    ),
  );
  const fees = new Map(fee?.map((tally) => [tokenKeyOf(tally), tally.sum]));
  const sums = (gross ?? []).map((tally) => ({
    ...namesOfToken(deps.catalog, tokenKeyOf(tally)),
    payments: tally.count,
    gross: tally.sum,
    fee: fees.get(tokenKeyOf(tally)) ?? 0n,
  }));
  return sums.sort(inOrder);
}

/** Adds settlements to the sums by token. */
export function addedTo(sums: readonly SettlementSum[], settlements: readonly Settlement[]): SettlementSum[] {
  const all = new Map(sums.map((sum) => [sum.tokenKey, sum]));
  for (const { tokenKey, token, network, gross, fee } of settlements) {
    const before = all.get(tokenKey) ?? { tokenKey, token, network, payments: 0, gross: 0n, fee: 0n };
    const more = { payments: before.payments + 1, gross: before.gross + gross, fee: before.fee + fee };
    all.set(tokenKey, { ...before, ...more });
  }
  return [...all.values()].sort(inOrder);
}

/** What the amounts of a settlement, or of a sum, are in token units. */
export function amountsOf(
  catalog: Catalog,
  { tokenKey, gross, fee }: Pick<SettlementSum, 'tokenKey' | 'gross' | 'fee'>,
): { readonly gross: string; readonly fee: string; readonly net: string } {
  const units = (amount: bigint) => inTokens(catalog, tokenKey, amount);
  return { gross: units(gross), fee: units(fee), net: units(gross - fee) };
}

/** The machine keeps its moments as text, in one form, so that their order is that of time. */
function settledIn(month: Date): TenantWhere {
  const bounds = { gte: month.toISOString(), lt: monthAfter(month, 1).toISOString() };
  return { status: 'settled', 'context.settledAt': bounds };
}

async function withNames(
  { store, catalog }: Pick<RevenueDeps, 'store' | 'catalog'>,
  tenant: Tenant,
  docs: readonly ActorDoc[],
): Promise<Settlement[]> {
  const paid = docs.map((doc) => ({ doc, about: paymentAttributes.parse(doc.attributes) }));
  const [customers, offers] = await Promise.all([
    customerNames(
      store,
      tenant,
      paid.map(({ about }) => about.customerId),
    ),
    offerNames(
      store,
      tenant,
      paid.map(({ about }) => about.offerId),
    ),
  ]);
  return paid.map(({ doc, about: { customerId, offerId, tokenKey, platformAmount } }) => {
    const { amount, hashes } = paymentContextOf(doc);
    return {
      id: doc._id,
      settledAt: settledAtOf(doc),
      customerId,
      customerName: customers.get(customerId ?? '') ?? null,
      offerId,
      offerName: offers.get(offerId ?? '') ?? null,
      gross: BigInt(amount),
      fee: BigInt(platformAmount),
      ...namesOfToken(catalog, tokenKey),
      transaction: hashes.pullTxHash,
    };
  });
}

function namesOfToken(catalog: Catalog, tokenKey: string): TokenNames {
  const token = catalog.tokenByKey(tokenKey);
  const network = token && catalog.chain(token.chainId)?.label;
  if (token === undefined || network === undefined) throw new Error(`a payment is in the unknown token ${tokenKey}`);
  return { tokenKey, token: token.ticker, network };
}

const byToken = z.tuple([z.string()]);

function tokenKeyOf({ by }: Tally): string {
  return byToken.parse(by)[0];
}

function inOrder(one: TokenNames, other: TokenNames): number {
  return one.tokenKey < other.tokenKey ? -1 : 1;
}
