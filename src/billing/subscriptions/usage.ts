import { later } from '../../../machines/rules/period.ts';
import { priceOf, unitsLeft } from '../../../machines/rules/usage.ts';
import type { SubscriptionContext } from '../../../machines/subscription/context.ts';
import {
  isLastBilled,
  newLevels,
  type PeriodUsage,
  passesThreshold,
  unchargedAtEnd,
  usageOf,
  waitsUntil,
} from '../../../machines/subscription/usage.ts';
import { actorTime } from '../../engine/projection.ts';
import type { SentBy } from '../../engine/types.ts';
import { conflict, Fault, internalFault, invalid, notFound } from '../../errors/fault.ts';
import { isLive, subscriptionContextOf } from '../../model/subscription.ts';
import { Coalescer } from '../../store/coalesce.ts';
import type { UsageDoc, UsageRecord } from '../../store/collections.ts';
import type { ActorDoc, StoredActor, Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import type { BillingDeps } from '../deps.ts';
import { archivedBefore } from '../events/archived.ts';
import type { Created } from '../resources/idempotency.ts';
import { lastUsage } from './readiness.ts';
import { requireSubscription } from './subscriptions.ts';

/** The most records of one request. */
export const RECORDS_MAX = 100;
/** A row takes no further request once it has so many records. */
const ROW_RECORDS = 500;
const AHEAD_MS = 5 * 60_000;
/** Younger rows are in no archive. */
const KEPT_MS = 30 * 86_400_000;
/** What a stored amount can express. */
const COST_MAX = 10n ** 78n - 1n;
/** Another process may store a row first: then this one reads the total again. */
const ATTEMPTS_MAX = 100;

/** Units that were used. `at` null: now. */
export interface NewUsage extends Omit<UsageRecord, 'at'> {
  readonly at: string | null;
}

interface Ask extends Tenant {
  readonly deps: BillingDeps;
  readonly id: string;
  readonly records: readonly NewUsage[];
}

/** Records that are counted, and what no charge would have if the subscription ended now, in base units. */
export interface Counted {
  readonly records: readonly UsageRecord[];
  readonly tokenKey: string;
  readonly uncharged: bigint;
}

type Answer = Created<Counted> | Fault;

const writers = new WeakMap<Store, Coalescer<Ask, Answer, string>>();

/**
 * Counts units of a metered price, each key once for ever: all records of a request, or none. Requests that come
 * together make one row. Throws 404, 400 for a moment that cannot be, and 409 if the price is not metered, the
 * subscription has ended or been charged for the last time, or the price refuses use above its cap.
 */
export async function recordUsage(
  deps: BillingDeps,
  tenant: Tenant,
  id: string,
  records: readonly NewUsage[],
): Promise<Created<Counted>> {
  const writer =
    writers.get(deps.store) ??
    new Coalescer<Ask, Answer, string>({
      run: storeRow,
      sizeOf: (ask) => ask.records.length,
      maxSize: ROW_RECORDS,
      concurrency: 1,
    });
  writers.set(deps.store, writer);
  const { merchantId, mode } = tenant;
  const answer = await writer.ask({ merchantId, mode, deps, id, records }, [merchantId, mode, id].join('/'));
  if (answer instanceof Fault) throw answer;
  return answer;
}

/** The use of the present period, and the subscription by whose price it is counted. */
export interface UsageSoFar extends PeriodUsage {
  readonly doc: ActorDoc;
  /** What no charge would have if it ended now; after its end: what none has. */
  readonly uncharged: bigint;
  /** When the limit of 30 days allows the charge so far; null: now. */
  readonly waitsUntil: string | null;
}

/** Throws 404, and 409 if the price is not metered. */
export async function usageSoFar(deps: BillingDeps, tenant: Tenant, id: string): Promise<UsageSoFar> {
  const usage = await usageIn(deps, await requireSubscription(deps, tenant, id));
  if (usage === null) throw notMetered();
  return usage;
}

/** null: the price is not metered. */
export async function usageIn(
  { store, clock }: Pick<BillingDeps, 'store' | 'clock'>,
  doc: ActorDoc,
): Promise<UsageSoFar | null> {
  const context = subscriptionContextOf(doc);
  if (context.usage === undefined) return null;
  const last = await lastUsage(store, doc._id);
  const period = usageOf(context, last?.total);
  if (period === null) return null;
  const waits = context.ended === null ? waitsUntil(context, actorTime(clock(), doc.clockOffsetMs), last?.total) : null;
  return { ...period, doc, uncharged: unchargedAtEnd(context, last?.total), waitsUntil: waits };
}

function notMetered(): Fault {
  return conflict('usage is for a metered price, and the price of this subscription is not');
}

/** Answers every request. A key that was stored before is answered from its row, also if the subscription has ended. */
async function storeRow(asks: readonly Ask[]): Promise<Answer[]> {
  const [first] = asks;
  if (first === undefined) return [];
  const { deps, id } = first;
  const known = new Map<string, UsageRecord>();
  const archived = asks.some(isOld) ? await archivedBefore(deps.store.records) : null;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const [last, doc] = await Promise.all([
      lastUsage(deps.store, id),
      tenantStore(deps.store, first).actor('subscription', id),
    ]);
    if (doc === null) return asks.map(() => notFound());
    const row = rowOf(asks, { id, doc, last, known, archived, now: deps.clock() });
    const unsure = [...row.refused].filter((key) => !known.has(key));
    if (unsure.length > 0 && (await readKeys(deps.store, id, unsure, known))) continue;
    if (row.doc === null) return row.answers;
    const [verdict] = await deps.store.records.insert('usage', [row.doc]);
    if (verdict?.inserted) {
      await tellMachine(deps, doc, row.doc.total);
      return row.answers;
    }
    const keys = row.doc.records.map(({ key }) => key);
    if (verdict?.index === 'key') await readKeys(deps.store, id, keys, known);
  }
  throw internalFault(`usage of ${id} found no free row in ${ATTEMPTS_MAX} attempts`);
}

/** True if a record is of a time that an archive may have. */
function isOld({ deps, records }: Ask): boolean {
  const since = new Date(deps.clock().getTime() - KEPT_MS).toISOString();
  return records.some(({ at }) => at !== null && at < since);
}

/** Reads the rows of these keys; true if there are any. */
async function readKeys(
  { records }: Store,
  subscriptionId: string,
  keys: readonly string[],
  known: Map<string, UsageRecord>,
): Promise<boolean> {
  const where = { subscriptionId, 'records.key': { in: keys } };
  const rows = await records.find('usage', { where, limit: keys.length });
  const wanted = new Set(keys);
  for (const record of rows.flatMap((row) => row.records)) if (wanted.has(record.key)) known.set(record.key, record);
  return rows.length > 0;
}

interface Facts {
  readonly id: string;
  readonly doc: StoredActor;
  readonly last: UsageDoc | null;
  /** Records that are stored already. */
  readonly known: ReadonlyMap<string, UsageRecord>;
  readonly now: Date;
  /** Older records may be in an archive, with their keys; null: none is. */
  readonly archived: string | null;
}

interface NextRow {
  /** With all requests that it accepts; null: there is none. */
  readonly doc: UsageDoc | null;
  readonly answers: Answer[];
  /** The keys of requests that it refuses. */
  readonly refused: ReadonlySet<string>;
}

function rowOf(asks: readonly Ask[], { id, doc, last, known, now, archived }: Facts): NextRow {
  const added = new Map<string, UsageRecord>();
  const refused = new Set<string>();
  const context = subscriptionContextOf(doc);
  let total = last?.total ?? 0;
  const answers = asks.map((ask): Answer => {
    const stored = (key: string) => known.get(key) ?? added.get(key);
    const fresh = ask.records.filter(({ key }) => stored(key) === undefined);
    const units = fresh.reduce((sum, { quantity }) => sum + quantity, 0);
    const fault = fresh.length === 0 ? null : refusalOf(doc, { fresh, total, units, now, archived });
    if (fault !== null) {
      for (const { key } of fresh) refused.add(key);
      return fault;
    }
    const mismatch = ask.records.some((record) => isOther(record, stored(record.key)));
    const clock = actorTime(now, doc.clockOffsetMs);
    for (const { key, quantity, at } of fresh) added.set(key, { key, quantity, at: at ?? clock });
    total += units;
    const resource = {
      records: ask.records.flatMap(({ key }) => stored(key) ?? []),
      tokenKey: context.terms.tokenKey,
      uncharged: unchargedAtEnd(context, total),
    };
    return { resource, replayed: fresh.length === 0, mismatch };
  });
  if (added.size === 0) return { doc: null, answers, refused };
  const sequence = (last?.sequence ?? 0) + 1;
  const records = [...added.values()];
  const row = { _id: `${id}:${sequence}`, subscriptionId: id, sequence, records, total, createdAt: now };
  return { doc: row, answers, refused };
}

function isOther({ quantity, at }: NewUsage, stored: UsageRecord | undefined): boolean {
  return stored !== undefined && (stored.quantity !== quantity || (at !== null && stored.at !== at));
}

interface Wanted extends Pick<Facts, 'now' | 'archived'> {
  readonly fresh: readonly NewUsage[];
  /** Units before. */
  readonly total: number;
  readonly units: number;
}

/** Why these records are not counted; null: they are. */
function refusalOf(doc: StoredActor, { fresh, total, units, now, archived }: Wanted): Fault | null {
  const context = subscriptionContextOf(doc);
  const { usage } = context;
  const period = usageOf(context, total);
  if (period === null || usage === undefined) return notMetered();
  if (!isLive(doc)) return conflict(`Subscription is ${doc.status}; usage needs pending, active or past_due`);
  if (isBilledOut(context))
    return conflict('The last cycle of this subscription has been charged; further usage would not be');
  const clock = actorTime(now, doc.clockOffsetMs);
  const latest = later(clock, AHEAD_MS);
  for (const { at } of fresh) {
    if (at !== null && at > latest)
      return invalid(`at must be at most 5 minutes ahead of this subscription's clock, which shows ${clock}`);
    if (at !== null && archived !== null && at < archived)
      return invalid(
        `at must not be before ${archived}: older records are archived, and a key of them would count again`,
      );
    if (at !== null && at < usage.anchor)
      return invalid(`at must not be before the subscription began, ${usage.anchor}`);
  }
  if (total + units > Number.MAX_SAFE_INTEGER)
    return conflict(`A subscription counts at most ${Number.MAX_SAFE_INTEGER} units`);
  const after = usageOf(context, total + units);
  if (after !== null && after.amount + after.carried > COST_MAX)
    return conflict('So many units cost more than an amount can express');
  const left = unitsLeft(period.model, period.units, period.before);
  if (period.model.aboveCap === 'carry' || left === null || units <= left) return null;
  return conflict(
    `The cap of this period leaves ${left} more units, and ${units} were to be counted; the next period begins at ${context.currentPeriodEnd}`,
  );
}

/** True once nothing that is used could be charged: the last cycle is open or paid. */
function isBilledOut(context: SubscriptionContext): boolean {
  const { open, cyclesCompleted } = context;
  return isLastBilled(open === null ? context : { ...context, cyclesCompleted: cyclesCompleted + 1 });
}

const BY: SentBy = 'api';

/** The row is stored: if the machine does not learn of it now, the next record or the end of the period tells it. */
async function tellMachine(deps: BillingDeps, doc: StoredActor, used: number): Promise<void> {
  const context = subscriptionContextOf(doc);
  if (newLevels(context, used).length === 0 && !passesThreshold(context, used)) return;
  try {
    await deps.engine.dispatch({ kind: 'subscription', id: doc._id, event: { type: 'usage.seen', used }, by: BY });
  } catch (error) {
    deps.log.warn({ err: error, actor: doc._id }, 'a level or threshold is told with the next usage record or cycle');
  }
}

/** The price of the units of the period alone, in base units. */
export function priceSoFar({ model, units }: PeriodUsage): bigint {
  return priceOf(model.tiers, units);
}
