import { z } from 'zod';
import type { ExchangeRate } from '../../../machines/payment/context.ts';
import { refundsOf } from '../../../machines/payment/refunds.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { type ListPage, type Page, readPage } from '../../model/lists.ts';
import { paymentAttributes, paymentContextOf, settledAtOf } from '../../model/payment.ts';
import type { InvoiceDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { pagesOf } from '../../store/pages.ts';
import type { Tally } from '../../store/port.ts';
import { type TenantWhere, tenantStore } from '../../store/tenant.ts';
import { invoicesOf } from '../receipts/invoices.ts';
import { keptTally } from './kept-tally.ts';
import { customerNames, offerNames } from './names.ts';
import { inTokens, type RevenueDeps } from './revenue.ts';

/** A token as accountants name it. */
interface TokenNames {
  readonly tokenKey: string;
  /** The ticker. */
  readonly token: string;
  readonly network: string;
}

/** What a payment was for. */
interface PaidFor extends TokenNames {
  readonly customerId: string | null;
  readonly customerName: string | null;
  readonly offerId: string | null;
  readonly offerName: string | null;
  /** What a token was worth when the payment settled; null: nobody gave a rate. */
  readonly rate: ExchangeRate | null;
}

/** One settled payment. Amounts are base units; `net` is `gross` less `fee`. */
export interface Settlement extends PaidFor {
  readonly id: string;
  readonly settledAt: Date;
  readonly gross: bigint;
  readonly fee: bigint;
  readonly transaction: string | null;
  readonly invoice: InvoiceDoc | null;
}

/** What a merchant has given back of a payment, and what that was for. Base units. */
export interface SettledRefund extends PaidFor {
  readonly id: string;
  readonly paymentId: string;
  readonly settledAt: Date;
  readonly refunded: bigint;
  readonly transaction: string | null;
  readonly creditNote: InvoiceDoc | null;
}

/** The settled payments and refunds of one token, and the taxes on their invoices. */
export interface SettlementSum extends TokenNames {
  readonly payments: number;
  readonly gross: bigint;
  readonly fee: bigint;
  readonly refunds: number;
  readonly refunded: bigint;
  readonly tax: bigint;
  readonly refundedTax: bigint;
}

/** In the order in which they settled. */
const OLDEST_FIRST = [['context.settledAt', 1]] as const;

/** The most settlements in memory at once. */
const PART = 200;

/** A month, as `monthIn` has it. The machine keeps its moments in the same form, in the order of time. */
type Month = { readonly gte: string; readonly lt: string };

/** The payments that settled in the month, oldest first. Throws 400 for an unknown cursor. */
export async function listSettlements(
  deps: Pick<RevenueDeps, 'store' | 'catalog'>,
  tenant: Tenant,
  month: Month,
  page: Page,
): Promise<ListPage<Settlement>> {
  const own = tenantStore(deps.store, tenant);
  const { items, hasMore } = await readPage<ActorDoc>(page, {
    sort: OLDEST_FIRST,
    get: (id) => own.actor('payment', id),
    find: (query) => own.findActors('payment', { where: settledIn(month), ...query }),
  });
  const named = await withNames(deps, tenant, items);
  return { items: named.map((each) => settlementOf(each)), hasMore };
}

/** All of them, in parts: no more are in memory than one part. */
export async function* settlementsOf(
  deps: Pick<RevenueDeps, 'store' | 'catalog'>,
  tenant: Tenant,
  month: Month,
): AsyncGenerator<readonly Settlement[]> {
  for (let startingAfter: string | undefined, hasMore = true; hasMore; ) {
    const found = await listSettlements(deps, tenant, month, { limit: PART, start: 0, startingAfter });
    yield found.items;
    startingAfter = found.items.at(-1)?.id;
    hasMore = found.hasMore;
  }
}

/**
 * The refunds by the merchant that settled in the month, oldest first. All of them are in memory at once: each has cost
 * the merchant a transaction.
 */
export async function refundsOfMonth(
  deps: Pick<RevenueDeps, 'store' | 'catalog'>,
  tenant: Tenant,
  within: Month,
): Promise<SettledRefund[]> {
  const own = tenantStore(deps.store, tenant);
  const found: SettledRefund[] = [];
  const where = { 'context.refunds.settledAt': within };
  for await (const docs of pagesOf((query) => own.findActors('payment', query), where)) {
    for (const { doc, paidFor, issued } of await withNames(deps, tenant, docs)) {
      for (const { id, settledAt, amount, transfer } of refundsOf(paymentContextOf(doc))) {
        if (settledAt === null || settledAt < within.gte || settledAt >= within.lt) continue;
        const moved = { refunded: BigInt(amount), transaction: transfer?.transaction ?? null };
        const creditNote = issued.find(({ subject }) => subject === id) ?? null;
        found.push({ id, paymentId: doc._id, settledAt: new Date(settledAt), ...paidFor, ...moved, creditNote });
      }
    }
  }
  return found.sort((one, other) => one.settledAt.getTime() - other.settledAt.getTime());
}

/** The sums of a month by token, added up by the database, without taxes. The refunds are those of the month. */
export async function sumSettlements(
  deps: RevenueDeps,
  tenant: Tenant,
  month: Month,
  refunds: readonly SettledRefund[],
): Promise<SettlementSum[]> {
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
    ...{ refunds: 0, refunded: 0n, tax: 0n, refundedTax: 0n },
  }));
  return addedTo(sums, refunds);
}

export function addedTo(
  sums: readonly SettlementSum[],
  items: readonly (Settlement | SettledRefund)[],
): SettlementSum[] {
  const all = new Map(sums.map((sum) => [sum.tokenKey, sum]));
  for (const item of items) {
    const { tokenKey, token, network } = item;
    const nothing = { payments: 0, gross: 0n, fee: 0n, refunds: 0, refunded: 0n, tax: 0n, refundedTax: 0n };
    const before = all.get(tokenKey) ?? { tokenKey, token, network, ...nothing };
    const plus = (to: bigint, doc: InvoiceDoc | null) => to + BigInt(doc?.tax ?? 0);
    const more =
      'refunded' in item
        ? {
            ...{ refunds: before.refunds + 1, refunded: before.refunded + item.refunded },
            refundedTax: plus(before.refundedTax, item.creditNote),
          }
        : {
            ...{ payments: before.payments + 1, gross: before.gross + item.gross, fee: before.fee + item.fee },
            tax: plus(before.tax, item.invoice),
          };
    all.set(tokenKey, { ...before, ...more });
  }
  return [...all.values()].sort(inOrder);
}

export function amountsOf(
  catalog: Catalog,
  { tokenKey, gross, fee }: Pick<SettlementSum, 'tokenKey' | 'gross' | 'fee'>,
): { readonly gross: string; readonly fee: string; readonly net: string } {
  const units = (amount: bigint) => inTokens(catalog, tokenKey, amount);
  return { gross: units(gross), fee: units(fee), net: units(gross - fee) };
}

function settledIn(month: Month): TenantWhere {
  return { status: 'settled', 'context.settledAt': month };
}

interface Named {
  readonly doc: ActorDoc;
  readonly paidFor: PaidFor;
  /** Its invoices and credit notes. */
  readonly issued: readonly InvoiceDoc[];
}

async function withNames(
  { store, catalog }: Pick<RevenueDeps, 'store' | 'catalog'>,
  tenant: Tenant,
  docs: readonly ActorDoc[],
): Promise<Named[]> {
  const paid = docs.map((doc) => ({ doc, about: paymentAttributes.parse(doc.attributes) }));
  const [customers, offers, invoices] = await Promise.all([
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
    invoicesOf(
      store,
      tenant,
      docs.map(({ _id }) => _id),
    ),
  ]);
  return paid.map(({ doc, about: { customerId, offerId, tokenKey } }) => ({
    doc,
    issued: invoices.filter(({ paymentId }) => paymentId === doc._id),
    paidFor: {
      customerId,
      customerName: customers.get(customerId ?? '') ?? null,
      offerId,
      offerName: offers.get(offerId ?? '') ?? null,
      rate: paymentContextOf(doc).rate ?? null,
      ...namesOfToken(catalog, tokenKey),
    },
  }));
}

function settlementOf({ doc, paidFor, issued }: Named): Settlement {
  const { amount, hashes } = paymentContextOf(doc);
  const { platformAmount } = paymentAttributes.parse(doc.attributes);
  const amounts = { gross: BigInt(amount), fee: BigInt(platformAmount) };
  const invoice = issued.findLast(({ corrects }) => corrects === null) ?? null;
  return { id: doc._id, settledAt: settledAtOf(doc), ...paidFor, ...amounts, transaction: hashes.pullTxHash, invoice };
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
