import { newSigningSecret } from '../../../src/webhooks/signature.ts';
import { until } from '../../../stage/until.ts';
import { hold } from '../contest.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import { receivingMerchant, startProduct, startReceiver } from './sides.ts';

const MERCHANTS = 100;
const AT_MOST = 1.2;
/** Two seconds of events per turn, so that other work on the machine affects both sides of a round alike. */
const EVENTS = 5 * MERCHANTS;
/** The tail of so few events differs in every turn, so it takes many turns to compare two sides. */
const CONTEST = { quick: { rounds: 5, turns: 1 }, full: { rounds: 7, turns: 8 } } as const;
/** Far below the product's limit, so that the figure shows waiting, not a queue. */
const PER_SECOND = 250;

/**
 * The 99th percentile of the age of arriving events: 99 merchants beside one whose endpoint hangs, compared with the
 * same 99 beside one that answers. The product is both sides, each with its own database and processes.
 */
export async function hanging(world: World): Promise<Row[]> {
  world.progress.step('webhooks: starting with and without an endpoint that hangs');
  const row = await hold(world, {
    name: 'p99 of 99 endpoints beside one that hangs',
    unit: 'ms',
    product: await oldestOf(world, 'hanging', '/hangs'),
    baseline: await oldestOf(world, 'answering', '/webhooks'),
    target: { atMost: AT_MOST },
    ...CONTEST[world.size],
  });
  return [row];
}

async function oldestOf(world: World, dbName: string, path: string): Promise<() => Promise<number>> {
  const store = await world.openStore(dbName);
  const secret = newSigningSecret();
  const receiver = startReceiver(world, secret);
  const one = await startReceiver(world, secret).ask('url', path);
  const others = await receiver.ask('url', '/webhooks');
  const merchantIds = [await receivingMerchant(store, one, secret)];
  while (merchantIds.length < MERCHANTS) merchantIds.push(await receivingMerchant(store, others, secret));
  const product = startProduct(world, dbName);
  const order = { merchantIds, events: EVENTS, perSecond: PER_SECOND };
  const expected = EVENTS - Math.ceil(EVENTS / MERCHANTS);
  return async () => {
    await product.ask('pace', order);
    const ages: number[] = [];
    await until(
      `${expected} deliveries have arrived`,
      async () => ages.push(...(await receiver.ask('take')).ages),
      (count) => count >= expected,
    );
    return percentile(ages, 0.99);
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.max(1, sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
}
