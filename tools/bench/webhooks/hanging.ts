import { setTimeout as pause } from 'node:timers/promises';
import { newSigningSecret } from '../../../src/webhooks/signature.ts';
import type { BenchRun } from '../bench.ts';
import { childOf } from '../child.ts';
import { hold } from '../contest.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import { happened, type PaceOrder } from './messages.ts';
import { received, receivingMerchant } from './stage.ts';

const MERCHANTS = 100;
const AT_MOST = 1.2;
/** Two seconds of events per turn, so that other work on the machine affects both sides of a round alike. */
const EVENTS = 5 * MERCHANTS;
/** The tail of so few events differs in every turn, so it takes many turns to compare two sides. */
const CONTEST = { quick: { rounds: 5, turns: 1 }, full: { rounds: 7, turns: 8 } } as const;
/** Far below the product's limit, so that the figure shows waiting, not a queue. */
const PER_SECOND = 250;
const ASK_MS = 20;
const ARRIVE_WITHIN_MS = 30_000;

/**
 * The 99th percentile of the age of arriving events: 99 merchants beside one whose endpoint hangs, compared with the
 * same 99 beside one that answers. The product is both sides, each with its own database and processes.
 */
export async function hanging(world: World, run: BenchRun): Promise<Row> {
  run.progress.step('webhooks: starting with and without an endpoint that hangs');
  return hold(
    {
      name: 'p99 of 99 endpoints beside one that hangs',
      unit: 'ms',
      product: await oldestOf(world, 'hanging', '/hangs'),
      baseline: await oldestOf(world, 'answering', '/webhooks'),
      target: { atMost: AT_MOST },
      ...CONTEST[run.size],
    },
    run,
  );
}

async function oldestOf(world: World, dbName: string, path: string): Promise<() => Promise<number>> {
  const store = await world.store(dbName);
  const secret = newSigningSecret();
  const receiver = childOf(world, import.meta.url, './receiver.ts', [secret]);
  const others = await receiver.ask({}, received);
  const one = await childOf(world, import.meta.url, './receiver.ts', [secret]).ask({}, received);
  const merchantIds = [await receivingMerchant(store, `http://127.0.0.1:${one.port}${path}`, secret)];
  while (merchantIds.length < MERCHANTS) {
    merchantIds.push(await receivingMerchant(store, `http://127.0.0.1:${others.port}/webhooks`, secret));
  }
  const product = childOf(world, import.meta.url, './product.ts', [world.mongoUri, dbName]);
  const order: PaceOrder = { merchantIds, events: EVENTS, perSecond: PER_SECOND };
  const expected = EVENTS - Math.ceil(EVENTS / MERCHANTS);
  return async () => {
    await product.ask(order, happened);
    const ages: number[] = [];
    const until = performance.now() + ARRIVE_WITHIN_MS;
    while (ages.length < expected) {
      if (performance.now() > until) throw new Error(`${ages.length} of ${expected} deliveries arrived`);
      await pause(ASK_MS);
      ages.push(...(await receiver.ask({}, received)).ages);
    }
    return percentile(ages, 0.99);
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.max(1, sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
}
