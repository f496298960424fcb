import type { Tenant } from '../../../src/store/documents.ts';
import { hold } from '../contest.ts';
import { eventOf, insertMany, numberOf } from '../documents.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import { openSides } from './sides.ts';

const FEW = 10_000;
const AT_MOST = 1.3;
const EVENTS = 1_000;

/**
 * The cost of a delivery of a merchant with many earlier deliveries, beside one with few. The product is both sides.
 */
export async function history(world: World): Promise<Row[]> {
  const many = world.size === 'full' ? 1_000_000 : 100_000;
  const cost = async (dbName: string, rows: number) => {
    const { merchantId, product } = await openSides(world, dbName);
    await fill(world, dbName, { merchantId, mode: 'test' }, rows);
    return async () => 1_000_000 / (await product(EVENTS)).perSecond;
  };
  const baseline = await cost('few', FEW);
  const row = await hold(world, {
    name: `a delivery after ${numberOf(many)} to one after ${numberOf(FEW)}`,
    unit: 'µs/delivery',
    product: await cost('many', many),
    baseline,
    target: { atMost: AT_MOST },
    turns: world.size === 'full' ? 2 : 1,
  });
  return [row];
}

async function fill(world: World, db: string, tenant: Tenant, rows: number): Promise<void> {
  for (let done = 0; done < rows; done += FEW) {
    await insertMany(world, { db, collection: 'events' }, FEW, (at) => eventOf(tenant, at));
  }
}
