import type { OpenPaymentDoc } from '../collections.ts';
import type { ActorDoc } from '../documents.ts';
import { checkQuery } from '../guard.ts';
import { behind, comparer, matcher } from '../match.ts';
import type { LedgerRecords, Query, Where } from '../port.ts';
import { sortKeys } from '../values.ts';

/** The statuses of a payment whose charge is on its way. */
const OPEN: readonly string[] = ['pending', 'pulled'];

/**
 * True for a payment of a cycle whose charge is on its way: it has no head. To insert a head into its indexes and to
 * replace it costs five times as much as the short document that lists find instead, and most of these payments end
 * within a minute.
 */
export function isOpenPayment({ kind, status, attributes, context, quarantine }: ActorDoc): boolean {
  const isOnItsWay = OPEN.includes(status) && context['pausedFor'] === null && quarantine === null;
  return kind === 'payment' && attributes['source'] === 'subscription' && isOnItsWay;
}

/** What lists find of a payment without a head. Its fields never change and are where a head has them. */
export function openPaymentOf({ _id, merchantId, mode, attributes, context, createdAt }: ActorDoc): OpenPaymentDoc {
  const about = partOf(attributes, (name) => FIELDS.includes(`attributes.${name}`));
  const rest = partOf(context, (name) => FIELDS.includes(`context.${name}`));
  return { _id, merchantId, mode, attributes: about, context: rest, createdAt };
}

function partOf<T>(
  fields: Readonly<Record<string, T>>,
  isWanted: (name: string) => boolean,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isWanted(name)));
}

/** Before every moment: a condition for an index where a query has none. */
const EVER = new Date(0);

/** What lists find it by. */
const FIELDS: readonly string[] = [
  '_id',
  'merchantId',
  'mode',
  'createdAt',
  'attributes.source',
  'attributes.customerId',
  'attributes.offerId',
  'attributes.subscriptionId',
  'attributes.cycle',
  'context.fromWallet',
];

/** Of these, the fields by which a page of open payments can be sorted: none is ever null. */
const ORDERED: readonly string[] = ['createdAt', '_id'];

/** A part of every open payment. */
const OF_ALL = { quarantine: null, context: { pausedFor: null }, attributes: { source: 'subscription', metadata: {} } };
const OF_ALL_FIELDS = ['status', 'quarantine', 'context.pausedFor', 'attributes.source', 'attributes.metadata'];

/** True if no open payment matches: by its status, or by a field that all of them share. */
export function excludesOpen(where: Where): boolean {
  const matches = matcher(partOf(where, (path) => OF_ALL_FIELDS.some((field) => `${path}.`.startsWith(`${field}.`))));
  return !OPEN.some((status) => matches({ ...OF_ALL, status }));
}

/** The most open payments in one read. */
const PAGE = 200;

/**
 * The payments without a head that match, at least the first of the query's order that its page may need. `current`
 * reads actors that have no head.
 */
export async function findOpen(
  records: LedgerRecords,
  query: Query,
  current: (ids: readonly string[]) => Promise<readonly ActorDoc[]>,
): Promise<ActorDoc[]> {
  checkQuery(query, 'find payments');
  const { where, sort = [], after, start = 0, limit } = query;
  if (excludesOpen(where)) return [];
  const stored = { createdAt: { gt: EVER }, ...partOf(where, (path) => FIELDS.includes(path)) };
  const matches = matcher(where);
  const isBehind = behind({ sort, ...(after === undefined ? {} : { after }) });
  const isInOrder = sort.every(([path]) => ORDERED.includes(path));
  const order = isInOrder ? sort : [];
  const found: ActorDoc[] = [];
  for (let last = isInOrder ? after : undefined; ; ) {
    const size = isInOrder ? Math.min(start + limit, PAGE) : PAGE;
    const more = last === undefined ? {} : { after: last };
    const page = await records.find('openPayments', { where: stored, sort: order, limit: size, ...more });
    const docs = await current(page.map(({ _id }) => _id));
    found.push(...docs.filter((doc) => matches(doc) && isBehind(doc)));
    const end = page.at(-1);
    if (end === undefined || page.length < size || (isInOrder && found.length >= start + limit)) return found;
    last = sortKeys(order).map(([path]) => (path === 'createdAt' ? end.createdAt : end._id));
  }
}

/** The page of a query, from the payments with a head and those without one. Of two forms of one, the newer counts. */
export function pageOf(docs: readonly ActorDoc[], { sort, start = 0, limit }: Query): ActorDoc[] {
  const distinct = new Map<string, ActorDoc>();
  for (const doc of docs) if (doc.rev > (distinct.get(doc._id)?.rev ?? 0)) distinct.set(doc._id, doc);
  return [...distinct.values()].sort(comparer(sort)).slice(start, start + limit);
}
