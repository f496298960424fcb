import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { freePort } from '../../../scripts/lib/free-port.ts';
import type { BenchRun } from '../bench.ts';
import { benchMerchant } from '../merchant.ts';
import type { BenchService } from '../service.ts';
import { insertDue, untilQuiet } from '../settlement/drain.ts';
import { openEvmShop } from '../settlement/evm/shop.ts';
import { DB, type Shop } from '../settlement/shop.ts';
import { withSubscriptions } from '../subscriptions.ts';
import type { World } from '../world.ts';

/** The result of one kill; times in seconds since the process was started again. */
export interface Restart {
  /** The first 200 to a merchant who sends requests all the time, to the same address. */
  readonly firstAnswer: number;
  /** The last event of the charges that were in flight. */
  readonly allEnded: number;
  /** The number of charges that were requested but not ended. */
  readonly inFlight: number;
}

export interface Scene {
  /** Kills the service with at least `charges` charges in flight, and starts it again. */
  readonly restart: (charges: number) => Promise<Restart>;
}

const PAYERS = 500;
/** The factor of requested charges, because some end before the kill. */
const MORE = 1.3;
const POLL_MS = 5;
const PATIENCE_MS = { least: 60_000, each: 60 } as const;

/** A service among so many subscriptions, on its own database and chain. */
export async function openScene(world: World, run: BenchRun, subscriptions: number): Promise<Scene> {
  const store = await withSubscriptions(world, run, DB, { count: subscriptions, due: 0 });
  const { key } = await benchMerchant(store, 'Asks');
  const fixed = { TIDELINE_ROLE: 'all', PORT: String(await freePort()) };
  let start: () => Promise<BenchService> = () => world.service(fixed);
  run.progress.step('recovery: payers, a chain and a service');
  const shop = await openEvmShop(
    {
      ...world,
      service: (env = {}) => {
        start = () => world.service({ ...env, ...fixed });
        return start();
      },
    },
    PAYERS,
  );
  let running = shop.service;
  const db = world.mongo.db(DB);
  return {
    restart: async (charges) => {
      const asked = Math.ceil(charges * MORE);
      const before = await countOf(db, 'events');
      await untilWorking(shop, db, asked);
      process.kill(running.pid, 'SIGKILL');
      await running.stop();
      const inFlight = asked - ((await countOf(db, 'events')) - before);
      const began = performance.now();
      const answering = untilAnswered(running, key).then(() => secondsSince(began));
      const [service, firstAnswer] = await Promise.all([start(), answering]);
      running = service;
      await untilEnded(db, before + asked, asked);
      const allEnded = secondsSince(began);
      await untilQuiet(shop, 'final');
      await requireEnded(db, before + asked);
      return { firstAnswer, allEnded, inFlight };
    },
  };
}

/** Requests the charges. Resolves when the service has stored the first transaction for them. */
async function untilWorking(shop: Shop, db: Db, asked: number): Promise<void> {
  const before = await countOf(db, 'transactions');
  await insertDue(shop, 'payments', asked);
  while ((await countOf(db, 'transactions')) === before) await delay(POLL_MS);
}

async function untilAnswered({ url }: BenchService, key: string): Promise<void> {
  const began = performance.now();
  while (performance.now() - began < PATIENCE_MS.least) {
    const response = await fetch(`${url}/v1/customers`, { headers: { 'X-API-Key': key } }).catch(() => null);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await delay(POLL_MS);
  }
  throw new Error(`no 200 from ${url} within ${PATIENCE_MS.least} ms`);
}

async function untilEnded(db: Db, events: number, asked: number): Promise<void> {
  const began = performance.now();
  const patienceMs = PATIENCE_MS.least + PATIENCE_MS.each * asked;
  for (let there = 0; there < events; there = await countOf(db, 'events')) {
    if (performance.now() - began > patienceMs) throw new Error(`${events - there} of ${asked} charges have not ended`);
    await delay(POLL_MS);
  }
}

/** Throws unless every requested payment has settled and has one event. */
async function requireEnded(db: Db, asked: number): Promise<void> {
  const payments = db.collection('payments');
  const [settled, all] = [await payments.countDocuments({ status: 'settled' }), await payments.countDocuments()];
  const events = await db.collection('events').countDocuments();
  if (settled === asked && all === asked && events === asked) return;
  throw new Error(`${settled} of ${asked} charges have settled, with ${events} events and ${all} payments`);
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1_000;
}

function countOf(db: Db, collection: string): Promise<number> {
  return db.collection(collection).estimatedDocumentCount();
}
