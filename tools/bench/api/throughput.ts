import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { PARTITIONS } from '../../../src/store/documents.ts';
import type { BenchRun } from '../bench.ts';
import { childOf } from '../child.ts';
import { hold, type Side } from '../contest.ts';
import type { LoadOrder } from '../load/messages.ts';
import { type BenchMerchant, benchMerchant } from '../merchant.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import { insertMany, paymentOf } from './documents.ts';

const DB = 'throughput';
const MERCHANTS = 32;
/** The payments of each merchant. */
const PAYMENTS = 300;
const CONNECTIONS = 32;
const ROUNDS = { quick: { rounds: 5, turns: 1 }, full: { rounds: 7, turns: 4 } } as const;
const CUSTOMER = JSON.stringify({ name: 'A Payer', email: 'payer@example.com', merchantReferenceId: 'ref-12345' });

/** The tolerance between the body sizes of both sides. */
const SIZE_TOLERANCE = 0.1;

/**
 * Requests per second of the service and of the bare app (`baseline-server.ts`, whose docstring names its code and
 * options); 32 connections, one merchant or, without a target, as many as connections. The service's time ends when all
 * work of its requests is done: the event of the last customer is in the log with its delivery, and every outbox is
 * empty.
 */
export async function throughput(world: World, run: BenchRun): Promise<Row[]> {
  run.progress.step('throughput: starting both sides');
  const store = await world.store(DB);
  const merchants = await Promise.all(
    Array.from({ length: MERCHANTS }, (_, index) => benchMerchant(store, `Merchant ${index}`)),
  );
  const payments: Ask[] = [];
  for (const merchant of merchants) payments.push(...(await paymentsOf(world, merchant)));
  const [one] = merchants;
  if (one === undefined) throw new Error('the benchmark made no merchant');
  const service = await world.service({ MONGODB_DB: DB });
  const bare = `http://127.0.0.1:${await startBaseline(world)}`;
  const read = (asks: readonly Ask[]) => duel(run, service.url, bare, { method: 'GET', body: null, status: 200 }, asks);
  const create = duel(run, service.url, bare, { method: 'POST', body: CUSTOMER, status: 201 }, [
    { merchant: one, path: '/customers' },
  ]);
  const ofOne = payments.filter(({ merchant }) => merchant === one);
  return [
    await compare(world, run, 'GET /payments/{id}', 0.6, read(ofOne)),
    await compare(world, run, `GET /payments/{id}, ${MERCHANTS} merchants in turn`, null, read(inTurn(payments))),
    await compare(world, run, 'POST /customers', 0.5, create),
  ];
}

interface Ask {
  readonly merchant: BenchMerchant;
  /** Without the version segment. */
  readonly path: string;
}

async function paymentsOf(world: World, merchant: BenchMerchant): Promise<Ask[]> {
  const made: Ask[] = [];
  await insertMany(world.mongo, { db: DB, collection: 'payments' }, PAYMENTS, (at) => {
    const payment = paymentOf(merchant, at);
    made.push({ merchant, path: `/payments/${payment._id}` });
    return payment;
  });
  return made;
}

/** The first request of every merchant, then the second of every merchant, … */
function inTurn(asks: readonly Ask[]): Ask[] {
  return Array.from({ length: asks.length }, (_, index) => {
    const ask = asks[(index % MERCHANTS) * PAYMENTS + Math.floor(index / MERCHANTS)];
    if (ask === undefined) throw new Error(`there is no ask ${index}`);
    return ask;
  });
}

/** The same requests to the service and to the bare app. */
function duel(
  { size }: BenchRun,
  service: string,
  bare: string,
  request: Pick<LoadOrder, 'method' | 'body' | 'status'>,
  asks: readonly Ask[],
): readonly [product: LoadOrder, baseline: LoadOrder] {
  const common = { ...request, connections: CONNECTIONS, ms: size === 'full' ? 1_000 : 400 };
  const json = { 'content-type': 'application/json' };
  const keyed = ({ merchant, path }: Ask) => ({
    path: `/v1${path}`,
    headers: { 'x-api-key': merchant.key, ...json },
  });
  return [
    { ...common, origin: service, asks: asks.map(keyed) },
    { ...common, origin: bare, asks: asks.map(({ path }) => ({ path, headers: json })) },
  ];
}

async function startBaseline(world: World): Promise<number> {
  const child = childOf(world, import.meta.url, './baseline-server.ts', [world.mongoUri, DB]);
  return (await child.ask({}, z.object({ port: z.int() }))).port;
}

async function compare(
  world: World,
  run: BenchRun,
  name: string,
  atLeast: number | null,
  [product, baseline]: readonly [LoadOrder, LoadOrder],
): Promise<Row> {
  const bytes = { product: 0, baseline: 0 };
  const side = (which: keyof typeof bytes, order: LoadOrder): Side => {
    return async () => {
      const began = performance.now();
      const load = await world.loader.load(order);
      bytes[which] = load.bytes;
      await untilRelayed(world);
      return (load.requests / (performance.now() - began)) * 1_000;
    };
  };
  const row = await hold(
    {
      name,
      unit: 'requests/s',
      product: side('product', product),
      baseline: side('baseline', baseline),
      target: atLeast === null ? null : { atLeast },
      ...ROUNDS[run.size],
    },
    run,
  );
  requireSameSize(name, bytes);
  return row;
}

const EVERY_PARTITION = Array.from({ length: PARTITIONS }, (_, partition) => partition);
const POLL_MS = 5;

/** Resolves when the service has emptied the outboxes of all customers. */
async function untilRelayed({ mongo }: World): Promise<void> {
  const customers = mongo.db(DB).collection('customers');
  const unrelayed = { partition: { $in: EVERY_PARTITION }, relayAt: { $type: 'date' }, quarantine: null } as const;
  while ((await customers.findOne(unrelayed, { projection: { _id: 1 } })) !== null) await delay(POLL_MS);
}

function requireSameSize(name: string, { product, baseline }: { product: number; baseline: number }): void {
  if (Math.abs(product / baseline - 1) <= SIZE_TOLERANCE) return;
  throw new Error(`${name}: bodies of ${product} and ${baseline} bytes; the same size was expected`);
}
