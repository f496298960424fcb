import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { PARTITIONS } from '../../../src/store/documents.ts';
import type { BenchRun } from '../bench.ts';
import { startChild } from '../child.ts';
import { hold, type Side } from '../contest.ts';
import type { LoadOrder } from '../load/messages.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import { insertMany, paymentOf } from './documents.ts';
import { benchMerchant } from './merchant.ts';

const DB = 'throughput';
const PAYMENTS = 10_000;
/** Payments that are asked for, spread over all. */
const ASKED = 1_000;
const CONNECTIONS = 32;
const CUSTOMER = JSON.stringify({ name: 'A Payer', email: 'payer@example.com', merchantReferenceId: 'ref-12345' });

/** How far the bodies of both sides may differ in size. */
const SIZE_TOLERANCE = 0.1;

/**
 * Requests per second of the service against those of the bare app in `baseline-server.ts`, whose code and options its
 * docstring names; one merchant, 32 connections. Of the service the time counts until all that its requests have begun is
 * done: until the event of the last customer is in the log with its delivery, and every outbox is empty.
 */
export async function throughput(world: World, run: BenchRun): Promise<Row[]> {
  run.progress.step('throughput: starting both sides');
  const store = await world.store(DB);
  const merchant = await benchMerchant(store, 'Throughput');
  const ids: string[] = [];
  await insertMany(world.mongo, { db: DB, collection: 'payments' }, PAYMENTS, (at, index) => {
    const payment = paymentOf(merchant, at);
    if (index % (PAYMENTS / ASKED) === 0) ids.push(payment._id);
    return payment;
  });
  const service = await world.service({ MONGODB_DB: DB });
  const bare = `http://127.0.0.1:${await startBaseline(world)}`;
  const paths = ids.map((id) => `/payments/${id}`);
  const common = { connections: CONNECTIONS, ms: run.size === 'full' ? 1_000 : 500 } as const;
  const product = { origin: service.url, headers: { 'x-api-key': merchant.key, ...JSON_TYPE } };
  const baseline = { origin: bare, headers: JSON_TYPE };
  const read = { ...common, method: 'GET', body: null, status: 200 } as const;
  const create = { ...common, method: 'POST', body: CUSTOMER, status: 201 } as const;
  return [
    await compare(world, run, 'GET /payments/{id}', 0.6, [
      { ...read, ...product, paths: paths.map((path) => `/v1${path}`) },
      { ...read, ...baseline, paths },
    ]),
    await compare(world, run, 'POST /customers', 0.5, [
      { ...create, ...product, paths: ['/v1/customers'] },
      { ...create, ...baseline, paths: ['/customers'] },
    ]),
  ];
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function startBaseline(world: World): Promise<number> {
  const child = startChild(import.meta.url, './baseline-server.ts', [world.mongoUri, DB]);
  world.onStop(() => child.stop());
  return (await child.ask({}, z.object({ port: z.int() }))).port;
}

async function compare(
  world: World,
  { size, progress }: BenchRun,
  name: string,
  atLeast: number,
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
      target: { atLeast },
      rounds: size === 'full' ? 7 : 5,
      turns: 4,
    },
    progress,
  );
  requireSameSize(name, bytes);
  progress.found(row);
  return row;
}

const EVERY_PARTITION = Array.from({ length: PARTITIONS }, (_, partition) => partition);
const POLL_MS = 5;

/** Resolves when the service has nothing in the outbox of any customer. */
async function untilRelayed({ mongo }: World): Promise<void> {
  const customers = mongo.db(DB).collection('customers');
  const laden = { partition: { $in: EVERY_PARTITION }, relayAt: { $type: 'date' }, quarantine: null } as const;
  while ((await customers.findOne(laden, { projection: { _id: 1 } })) !== null) await delay(POLL_MS);
}

function requireSameSize(name: string, { product, baseline }: { product: number; baseline: number }): void {
  if (Math.abs(product / baseline - 1) <= SIZE_TOLERANCE) return;
  throw new Error(`${name}: bodies of ${product} and ${baseline} bytes; the same size was expected`);
}
