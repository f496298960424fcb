import { type Db, ObjectId } from 'mongodb';
import { timerOf } from '../../../src/store/actors/timers.ts';
import type { ActorDoc, Tenant, TimerDoc } from '../../../src/store/documents.ts';
import { until } from '../../../stage/until.ts';
import type { Child } from '../../lib/child.ts';
import { FAST, PAYER, RECEIVER } from '../documents.ts';
import { benchMerchant } from '../merchant.ts';
import { subscriptionDue } from '../settlement/due.ts';
import type { World } from '../world.ts';
import type { OpenerProcess } from './opener.ts';

/** A setup that opens cycles. */
export interface Arena {
  readonly db: Db;
  /** Its processes, without the database. */
  readonly pids: readonly number[];
  /** Makes `count` cycles fall due at one moment. Returns how many were opened per second after the first write. */
  readonly open: (count: number) => Promise<number>;
}

const FAR = new Date('2100-01-01T00:00:00Z');
/** The distance of the due moment: long enough to write it to all documents. */
const AHEAD_MS = { least: 500, each: 0.3 } as const;
const POLL_MS = 5;
const PATIENCE_MS = { least: 60_000, each: 60 } as const;

/** Makes these documents due at that moment. */
type Schedule = (db: Db, moment: Date, docs: readonly ActorDoc[]) => Promise<unknown>;

/** For workers of the product. */
const timers: Schedule = async (db, moment, docs) => {
  await db.collection('subscriptions').updateMany({ wakeAt: FAR }, { $set: { wakeAt: moment } });
  const made = docs.flatMap((doc) => timerOf({ ...doc, wakeAt: moment }, moment) ?? []);
  await db.collection<TimerDoc>('timers').insertMany(made, FAST);
};

/** A job for each subscription: the document of `agenda.schedule(moment, 'cycle', {subscriptionId})`. */
const jobs: Schedule = async (db, nextRunAt, docs) => {
  const found = db.collection('perSubscription');
  await found.deleteMany({});
  const common = { name: 'cycle', type: 'normal', priority: 0, nextRunAt };
  const made = docs.map(({ _id: subscriptionId }) => ({ _id: new ObjectId(), ...common, data: { subscriptionId } }));
  await found.insertMany(made, FAST);
};

/** Workers of the product (`worker.ts`) on a separate database. */
export function workersArena(world: World, dbName: string, processes: number): Promise<Arena> {
  return openArena(world, dbName, { file: './worker.ts', processes, schedule: timers });
}

/** Agenda with a job for each subscription (`agenda.ts`, whose docstring names its options), on a separate database. */
export function agendaArena(world: World, dbName: string): Promise<Arena> {
  return openArena(world, dbName, { file: './agenda.ts', processes: 1, schedule: jobs });
}

interface Setup {
  readonly file: string;
  readonly processes: number;
  readonly schedule: Schedule;
}

async function openArena(world: World, dbName: string, { file, processes, schedule }: Setup): Promise<Arena> {
  const { merchantId } = await benchMerchant(await world.openStore(dbName), 'Bills');
  const db = world.mongo.db(dbName);
  const openers = Array.from({ length: processes }, () =>
    world.child<OpenerProcess>(import.meta.url, file, [world.mongoUri, dbName]),
  );
  // Nothing settles here, so a payment stays in one of them.
  const opened = async () => {
    const counts = ['payments', 'openPayments'].map((name) => db.collection(name).estimatedDocumentCount());
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  const open = async (count: number): Promise<number> => {
    const docs = await insertAhead(db, { merchantId, mode: 'live' }, count);
    const before = await opened();
    await askAll(openers, 'work');
    const moment = new Date(Date.now() + AHEAD_MS.least + AHEAD_MS.each * count);
    await schedule(db, moment, docs);
    if (Date.now() > moment.getTime())
      throw new Error(`${count} cycles were not there by the moment at which they fall due`);
    const withinMs = PATIENCE_MS.least + PATIENCE_MS.each * count;
    const untilOpened = (wanted: number) =>
      until(`${wanted} cycles are open`, opened, (there) => there >= before + wanted, { everyMs: POLL_MS, withinMs });
    await untilOpened(1);
    const began = performance.now();
    await untilOpened(count);
    const ms = performance.now() - began;
    await askAll(openers, 'rest');
    return (count / ms) * 1_000;
  };
  return { db, pids: openers.map(({ pid }) => pid), open };
}

/** Inserts subscriptions with a second cycle, due so late that no search finds them yet. */
async function insertAhead(db: Db, tenant: Tenant, count: number): Promise<ActorDoc[]> {
  const order = { tenant, payer: PAYER, receiver: RECEIVER };
  const docs = Array.from({ length: count }, (): ActorDoc => ({ ...subscriptionDue(order), wakeAt: FAR }));
  await db.collection<ActorDoc>('subscriptions').insertMany(docs, { ordered: false });
  return docs;
}

async function askAll(openers: readonly Child<OpenerProcess>[], action: 'work' | 'rest'): Promise<void> {
  const troubles = (await Promise.all(openers.map((each) => each.ask(action)))).flat();
  if (troubles.length > 0) throw new Error(`${troubles.length} troubles: ${troubles.slice(0, 3).join('; ')}`);
}

/** How many cycles were opened more than once, by the payments and by the journal. */
export async function openedTwice({ db }: Pick<Arena, 'db'>): Promise<number> {
  const beyondFirst = [
    { $group: { _id: null, all: { $sum: '$n' }, first: { $sum: 1 } } },
    { $project: { beyond: { $subtract: ['$all', '$first'] } } },
  ];
  const payments = [
    { $match: { kind: 'payment', 'events.event.type': 'actor.created' } },
    { $group: { _id: ['$set.attributes.subscriptionId', '$set.attributes.cycle'], n: { $sum: 1 } } },
    ...beyondFirst,
  ];
  const taken = [
    { $match: { kind: 'subscription' } },
    { $unwind: '$events' },
    { $match: { 'events.event.type': 'cycle.due' } },
    { $group: { _id: { $arrayElemAt: [{ $split: ['$_id', ':'] }, 0] }, n: { $sum: 1 } } },
    ...beyondFirst,
  ];
  const found = await Promise.all([
    db.collection('log').aggregate<{ beyond: number }>(payments).toArray(),
    db.collection('log').aggregate<{ beyond: number }>(taken).toArray(),
  ]);
  return found.flat().reduce((sum, { beyond }) => sum + beyond, 0);
}
