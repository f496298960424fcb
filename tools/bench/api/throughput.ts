import { setTimeout as delay } from 'node:timers/promises';
import { hold, type Side } from '../contest.ts';
import { insertMany, paymentOf } from '../documents.ts';
import type { LoadOrder, LoadWorker } from '../load-worker.ts';
import { type BenchMerchant, benchMerchant } from '../merchant.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import type { BaselineServer } from './baseline-server.ts';

const DB = 'throughput';
const PAYMENTS = 300;
const CONNECTIONS = 32;
const ROUNDS = { quick: { rounds: 5, turns: 1 }, full: { rounds: 7, turns: 4 } } as const;
const CUSTOMER = JSON.stringify({ name: 'A Payer', email: 'payer@example.com', merchantReferenceId: 'ref-12345' });
const POLL_MS = 5;

/** The tolerance between the body sizes of both sides. */
const SIZE_TOLERANCE = 0.1;

const READ = { method: 'GET', body: null, status: 200 } as const;
const CREATE = { method: 'POST', body: CUSTOMER, status: 201 } as const;

/**
 * Requests per second of the service and of the bare app (`baseline-server.ts`, whose docstring names its code and
 * options); 32 connections of one merchant. The service's time ends when all work of its requests is done: the event of
 * the last customer is in the log with its delivery, and every outbox is empty.
 */
export async function throughput(world: World): Promise<Row[]> {
  world.progress.step('throughput: starting both sides');
  const store = await world.openStore(DB);
  const merchant = await benchMerchant(store, 'Merchant');
  const payments = await paymentsOf(world, merchant);
  const service = await world.service({ MONGODB_DB: DB });
  const bare = world.child<BaselineServer>(import.meta.url, './baseline-server.ts', [world.mongoUri, DB]);
  const origins = { service: service.url, bare: `http://127.0.0.1:${await bare.ask('port')}` };
  const compare = comparing(world, merchant, origins);
  return [
    await compare('GET /payments/{id}', 0.6, READ, payments),
    await compare('POST /customers', 0.5, CREATE, ['/customers']),
  ];
}

/** The paths of payments that it makes, without the version segment. */
async function paymentsOf(world: World, merchant: BenchMerchant): Promise<string[]> {
  const made: string[] = [];
  await insertMany(world, { db: DB, collection: 'payments' }, PAYMENTS, (at) => {
    const payment = paymentOf(merchant, at);
    made.push(`/payments/${payment._id}`);
    return payment;
  });
  return made;
}

/** Sends the same requests to the service and to the bare app. Throws if their answers have different sizes. */
function comparing(
  world: World,
  { key }: BenchMerchant,
  { service, bare }: { readonly service: string; readonly bare: string },
) {
  const loader = world.child<LoadWorker>(import.meta.url, '../load-worker.ts');
  const common = { connections: CONNECTIONS, ms: world.size === 'full' ? 1_000 : 400 };
  const json = { 'content-type': 'application/json' };
  return async (
    name: string,
    atLeast: number,
    request: Pick<LoadOrder, 'method' | 'body' | 'status'>,
    paths: readonly string[],
  ): Promise<Row> => {
    const bytes = { product: 0, baseline: 0 };
    const side = (which: keyof typeof bytes, order: Pick<LoadOrder, 'origin' | 'asks'>): Side => {
      return async () => {
        const began = performance.now();
        const load = await loader.ask('load', { ...common, ...request, ...order });
        bytes[which] = load.bytes;
        await untilRelayed(world);
        return (load.requests / (performance.now() - began)) * 1_000;
      };
    };
    const keyed = paths.map((path) => ({ path: `/v1${path}`, headers: { 'x-api-key': key, ...json } }));
    const row = await hold(world, {
      name,
      unit: 'requests/s',
      product: side('product', { origin: service, asks: keyed }),
      baseline: side('baseline', { origin: bare, asks: paths.map((path) => ({ path, headers: json })) }),
      target: { atLeast },
      ...ROUNDS[world.size],
    });
    const { product, baseline } = bytes;
    if (Math.abs(product / baseline - 1) <= SIZE_TOLERANCE) return row;
    throw new Error(`${name}: bodies of ${product} and ${baseline} bytes; the same size was expected`);
  };
}

/** Resolves when the service has run the effects of all customers. */
async function untilRelayed({ mongo }: World): Promise<void> {
  const outbox = mongo.db(DB).collection('outbox');
  // Those of the baseline are not due for a year.
  const unrelayed = { source: 'customers', at: { $lt: new Date(Date.now() + 86_400_000) } } as const;
  while ((await outbox.findOne(unrelayed, { projection: { _id: 1 } })) !== null) await delay(POLL_MS);
}
