import { setTimeout as delay } from 'node:timers/promises';
import { type Db, ObjectId } from 'mongodb';
import type { ActorDoc, Tenant } from '../../../src/store/documents.ts';
import { type Child, startChild } from '../child.ts';
import { benchMerchant } from '../merchant.ts';
import { subscriptionDue } from '../settlement/due.ts';
import type { World } from '../world.ts';
import { type ClaimOrder, claimAnswer } from './orders.ts';

/** A setup that opens cycles. */
export interface Arena {
  readonly db: Db;
  /** Its processes, without the database. */
  readonly pids: readonly number[];
  /** Makes `count` cycles fall due at one moment. Returns how many were opened per second after the first write. */
  readonly open: (count: number) => Promise<number>;
}

const TOKEN = { key: 'usdc-base', chainId: 8453 } as const;
const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const RECEIVER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

const FAR = new Date('2100-01-01T00:00:00Z');
/** The distance of the due moment: long enough to write it to all documents. */
const AHEAD_MS = { least: 500, each: 0.3 } as const;
const CHUNK = 1_000;
const POLL_MS = 5;
const PATIENCE_MS = { least: 60_000, each: 60 } as const;

interface Ground {
  readonly db: Db;
  readonly tenant: Tenant;
  readonly processes: readonly Child[];
}

/** Workers of the product (`worker.ts`) on a separate database. */
export async function workersArena(world: World, dbName: string, processes: number): Promise<Arena> {
  return pollingArena(await groundOf(world, dbName, './worker.ts', processes, [String(TOKEN.chainId)]));
}

/** The baseline's writes in bulk (`bulk.ts`), on a separate database. */
export async function bulkArena(world: World, dbName: string): Promise<Arena> {
  return pollingArena(await groundOf(world, dbName, './bulk.ts', 1, []));
}

/** An arena of processes that search for due subscriptions. */
function pollingArena(ground: Ground): Arena {
  const open = (count: number) =>
    opened(ground, count, {
      begun: () => countOf(ground.db, 'payments'),
      done: () => countOf(ground.db, 'payments'),
      put: async (moment) => void (await notifyDue(ground.db, moment)),
    });
  return { db: ground.db, pids: pidsOf(ground), open };
}

/** Agenda with a job for each subscription (`agenda.ts`, whose docstring names its options), on a separate database. */
export async function agendaArena(world: World, dbName: string): Promise<Arena> {
  const ground = await groundOf(world, dbName, './agenda.ts', 1, []);
  const jobs = ground.db.collection('perSubscription');
  const open = (count: number) =>
    opened(ground, count, {
      begun: () => countOf(ground.db, 'payments'),
      done: () => countOf(ground.db, 'payments'),
      put: async (moment, docs) => {
        await jobs.deleteMany({});
        const fast = { ordered: false, writeConcern: { w: 1, journal: false } } as const;
        for (let at = 0; at < docs.length; at += CHUNK) {
          await jobs.insertMany(
            docs.slice(at, at + CHUNK).map((doc) => jobOf(doc, moment)),
            fast,
          );
        }
      },
    });
  return { db: ground.db, pids: pidsOf(ground), open };
}

/** The document of `agenda.schedule(moment, 'cycle', {subscriptionId})`. */
function jobOf({ _id: subscriptionId }: ActorDoc, nextRunAt: Date) {
  return { _id: new ObjectId(), name: 'cycle', type: 'normal', priority: 0, data: { subscriptionId }, nextRunAt };
}

async function groundOf(
  world: World,
  dbName: string,
  file: string,
  processes: number,
  args: readonly string[],
): Promise<Ground> {
  const { merchantId, mode } = await benchMerchant(await world.store(dbName), 'Bills');
  const children = Array.from({ length: processes }, () => {
    const child = startChild(import.meta.url, file, [world.mongoUri, dbName, ...args]);
    world.onStop(() => child.stop());
    return child;
  });
  return { db: world.mongo.db(dbName), tenant: { merchantId, mode }, processes: children };
}

function pidsOf({ processes }: Ground): number[] {
  return processes.map(({ pid }) => pid);
}

interface Race {
  /** A number that grows with the first write. */
  readonly begun: () => Promise<number>;
  /** The number of all opened cycles. */
  readonly done: () => Promise<number>;
  /** Makes these documents due at that moment. */
  readonly put: (moment: Date, docs: readonly ActorDoc[]) => Promise<void>;
}

async function opened(ground: Ground, count: number, { begun, done, put }: Race): Promise<number> {
  const docs = await insertAhead(ground, count);
  const [before, wanted] = [await begun(), (await done()) + count];
  await notifyAll(ground, { type: 'work' });
  const moment = new Date(Date.now() + AHEAD_MS.least + AHEAD_MS.each * count);
  await put(moment, docs);
  if (Date.now() > moment.getTime())
    throw new Error(`${count} cycles were not there by the moment at which they fall due`);
  while ((await begun()) === before) await delay(POLL_MS);
  const began = performance.now();
  const patienceMs = PATIENCE_MS.least + PATIENCE_MS.each * count;
  while ((await done()) < wanted) {
    if (performance.now() - began > patienceMs)
      throw new Error(`${wanted - (await done())} of ${count} cycles are not open`);
    await delay(POLL_MS);
  }
  const ms = performance.now() - began;
  await notifyAll(ground, { type: 'rest' });
  return (count / ms) * 1_000;
}

/** Inserts subscriptions with a second cycle, due so late that no search finds them yet. */
async function insertAhead({ db, tenant }: Ground, count: number): Promise<ActorDoc[]> {
  const order = { tenant: { ...tenant, mode: 'live' as const }, token: TOKEN, payer: PAYER, receiver: RECEIVER };
  const docs = Array.from({ length: count }, (): ActorDoc => ({ ...subscriptionDue(order), wakeAt: FAR }));
  for (let at = 0; at < count; at += CHUNK) {
    await db.collection<ActorDoc>('subscriptions').insertMany(docs.slice(at, at + CHUNK), { ordered: false });
  }
  return docs;
}

async function notifyDue(db: Db, moment: Date): Promise<void> {
  await db.collection('subscriptions').updateMany({ wakeAt: FAR }, { $set: { wakeAt: moment } });
}

async function notifyAll({ processes }: Ground, order: ClaimOrder): Promise<void> {
  const answers = await Promise.all(processes.map((each) => each.ask(order, claimAnswer)));
  const troubles = answers.flatMap((each) => each.troubles);
  if (troubles.length > 0) throw new Error(`${troubles.length} troubles: ${troubles.slice(0, 3).join('; ')}`);
}

/** How many cycles were opened more than once, by the payments and by the journal. */
export async function openedTwice({ db }: Pick<Arena, 'db'>): Promise<number> {
  const cycle = { subscription: '$attributes.subscriptionId', cycle: '$attributes.cycle' };
  const beyondFirst = [
    { $group: { _id: null, all: { $sum: '$n' }, first: { $sum: 1 } } },
    { $project: { beyond: { $subtract: ['$all', '$first'] } } },
  ];
  const payments = [{ $group: { _id: cycle, n: { $sum: 1 } } }, ...beyondFirst];
  const taken = [
    { $unwind: '$journal' },
    { $match: { 'journal.event.type': 'cycle.due' } },
    { $group: { _id: '$_id', n: { $sum: 1 } } },
    ...beyondFirst,
  ];
  const found = await Promise.all([
    db.collection('payments').aggregate<{ beyond: number }>(payments).toArray(),
    db.collection('subscriptions').aggregate<{ beyond: number }>(taken).toArray(),
  ]);
  return found.flat().reduce((sum, { beyond }) => sum + beyond, 0);
}

function countOf(db: Db, collection: string): Promise<number> {
  return db.collection(collection).estimatedDocumentCount();
}
