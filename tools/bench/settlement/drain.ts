import { chunksOf } from '../../../src/chains/chain-reader.ts';
import { headOf, rowOf } from '../../../src/store/actors/heads.ts';
import { effectsOf } from '../../../src/store/actors/log-actors.ts';
import { timerOf } from '../../../src/store/actors/timers.ts';
import type { ActorDoc, LogRow, OutboxDoc, TimerDoc } from '../../../src/store/documents.ts';
import { newId } from '../../../src/store/ids.ts';
import type { Commit, CommitBatch } from '../../../src/store/port.ts';
import { type Asking, until } from '../../../stage/until.ts';
import { unrelayedIn } from '../../lib/stored.ts';
import { FAST } from '../documents.ts';
import type { World } from '../world.ts';
import { type PaymentOrder, paymentDue, subscriptionDue } from './due.ts';
import { DB, type Market } from './market.ts';

/** The due work: requested one-off payments, or cycles of subscriptions. */
export type Kind = 'payments' | 'cycles';

const FIRST_POLL_MS = 5;
/** A hundredth of the elapsed time, within these bounds: polls take database time from charges. */
const POLL_MS = { least: 20, most: 100 } as const;
const POLL_SHARE = 100;
const QUIET_POLL_MS = 100;
const QUIET_MS = 300_000;
/** The distance of the due moment: long enough to write it to all documents, and longer than their insertion took. */
const AHEAD_MS = { least: 500, each: 0.2 } as const;
const TIMES_INSERTED = 3;

/** How long so many charges may take on a busy machine. */
function patienceMs(charges: number): number {
  return 60_000 + 60 * charges;
}

/**
 * Makes charges fall due at one moment. Resolves with the milliseconds from the service's first stored charge to their
 * last event. The wait before that is left out, because the interval of the search for due charges is a setting.
 */
export async function drain(market: Market, kind: Kind, count: number): Promise<number> {
  const { world } = market;
  const before = { charges: await countOf(world, 'charges'), events: await countOf(world, 'events') };
  await insertDue(market, kind, count);
  await untilCount(world, 'charges', before.charges + 1, { withinMs: patienceMs(count), everyMs: FIRST_POLL_MS });
  const began = performance.now();
  const everyMs = (ms: number) => Math.min(POLL_MS.most, Math.max(POLL_MS.least, ms / POLL_SHARE));
  await untilCount(world, 'events', before.events + count, { withinMs: patienceMs(count), everyMs });
  return performance.now() - began;
}

/** The documents of a collection of the market, by the count that the database keeps. */
export function countOf({ mongo }: Pick<World, 'mongo'>, collection: string): Promise<number> {
  return mongo.db(DB).collection(collection).estimatedDocumentCount();
}

/** Resolves when a collection has `count` documents. Throws after `withinMs`, or when the run is interrupted. */
export async function untilCount(
  world: Pick<World, 'mongo' | 'signal'>,
  collection: string,
  count: number,
  how: Pick<Asking, 'withinMs' | 'everyMs'>,
): Promise<void> {
  const asking = { ...how, signal: world.signal, explain: () => statesOf(world) };
  await until(
    `there are ${count} ${collection}`,
    () => countOf(world, collection),
    (there) => there >= count,
    asking,
  );
}

/** The numbers of charges and transactions by state, for errors. */
export async function statesOf({ mongo }: Pick<World, 'mongo'>): Promise<string> {
  const byState = [{ $group: { _id: '$state', count: { $sum: 1 } } }, { $sort: { _id: 1 } }];
  const states = await Promise.all(
    ['charges', 'transactions'].map(async (name) => {
      const states = await mongo.db(DB).collection(name).aggregate<{ _id: string; count: number }>(byState).toArray();
      return `${name}: ${states.map(({ _id, count }) => `${count} ${_id}`).join(', ') || 'none'}`;
    }),
  );
  return states.join('; ');
}

/** Inserts the documents first, and what makes them due at the end, so that all exist when the moment comes. */
async function insertDue(market: Market, kind: Kind, count: number): Promise<void> {
  const receiver = market.receiver();
  const orders = Array.from({ length: count }, (_, index) => orderOf(market, index, receiver));
  const began = Date.now();
  const become = kind === 'payments' ? await insertPayments(market, orders) : await insertCycles(market, orders);
  const inserted = Date.now();
  const moment = inserted + AHEAD_MS.least + AHEAD_MS.each * count + TIMES_INSERTED * (inserted - began);
  await become(new Date(moment));
  if (Date.now() > moment) throw new Error(`${count} documents were not there by the moment at which they fall due`);
}

/** Makes the inserted documents due at this moment. */
type Become = (moment: Date) => Promise<unknown>;

async function insertPayments({ world }: Market, orders: readonly PaymentOrder[]): Promise<Become> {
  const db = world.mongo.db(DB);
  const at = new Date();
  const batches = chunksOf(orders.map(paymentDue), AT_ONCE).map((commits) => batchOf(commits, at));
  const commits = batches.flatMap((batch) => batch.commits);
  const heads = commits.map(({ after }) => headOf(after));
  await db.collection<ActorDoc>('payments').insertMany(heads, FAST);
  await db.collection<LogRow>('log').insertMany(
    batches.flatMap(({ op, commits }) => commits.map((commit) => rowOf(commit, op))),
    FAST,
  );
  const outboxes = batches.flatMap((batch) => effectsOf('payment', batch));
  return (due) =>
    db.collection<OutboxDoc>('outbox').insertMany(
      outboxes.map((outbox) => ({ ...outbox, at: due })),
      FAST,
    );
}

/** As many as the service writes at once. */
const AT_ONCE = 250;

/** The effects of these commits in one outbox. */
function batchOf(commits: readonly Commit[], at: Date): CommitBatch {
  const op = newId('op', at);
  const named = commits.map((commit) => ({ ...commit, after: { ...commit.after, outboxId: op } }));
  return { op, at, relayAt: at, commits: named };
}

async function insertCycles({ world }: Market, orders: readonly PaymentOrder[]): Promise<Become> {
  const docs = orders.map((order) => subscriptionDue(order));
  await world.mongo.db(DB).collection<ActorDoc>('subscriptions').insertMany(docs, FAST);
  return (wakeAt) => wakeAll(world, docs, wakeAt);
}

/** Makes subscriptions due at this moment. Earlier timers of theirs stay. */
export async function wakeAll({ mongo }: Pick<World, 'mongo'>, docs: readonly ActorDoc[], wakeAt: Date): Promise<void> {
  const ids = docs.map(({ _id }) => _id);
  const heads = mongo.db(DB).collection<ActorDoc>('subscriptions');
  await heads.updateMany({ _id: { $in: ids } }, { $set: { wakeAt } }, FAST);
  const timers = docs.flatMap((doc) => timerOf({ ...doc, wakeAt }, wakeAt) ?? []);
  await mongo.db(DB).collection<TimerDoc>('timers').insertMany(timers, FAST);
}

/** The order number `index`: payers take turns. */
export function orderOf({ merchants, payers, feeBps, signed }: Market, index: number, receiver: string): PaymentOrder {
  const turn = index % payers.length;
  const tenant = merchants[turn % merchants.length];
  const payer = payers[turn];
  if (!tenant || payer === undefined) throw new Error('the market has no merchant or no payer');
  return { tenant, payer, receiver, feeBps, signed: signed?.(turn) ?? null };
}

/** Until no effect waits and every block is finalized. Throws after five minutes, or at an interrupt. */
export async function untilQuiet(world: World): Promise<void> {
  const store = await world.openStore(DB);
  const open = { state: { $in: ['signed', 'mined', 'final'] } };
  const only = { projection: { _id: 1 } } as const;
  const anyLeft = async () =>
    (await world.mongo.db(DB).collection('transactions').findOne(open, only)) ??
    (await unrelayedIn(store)).at(0) ??
    null;
  const { signal } = world;
  const how = { everyMs: QUIET_POLL_MS, withinMs: QUIET_MS, signal, explain: () => statesOf(world) };
  await until('no work is left', anyLeft, (left) => left === null, how);
}
