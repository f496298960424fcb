import type { EventDoc } from '../../../src/store/collections.ts';
import type { ActorDoc, Tenant } from '../../../src/store/documents.ts';
import { deliveryOf, insertMany } from '../api/documents.ts';
import type { BenchRun } from '../bench.ts';
import { hold } from '../contest.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import { eventOf } from './pool.ts';
import { openStage } from './stage.ts';

const FEW = 10_000;
const AT_MOST = 1.3;
const EVENTS = 1_000;

/**
 * The cost of a delivery of a merchant with many earlier deliveries, beside one with few. The product is both sides.
 */
export async function history(world: World, run: BenchRun): Promise<Row> {
  const many = run.size === 'full' ? 1_000_000 : 100_000;
  const cost = async (dbName: string, rows: number) => {
    const stage = await openStage(world, await world.store(dbName), dbName);
    await fill(world, run, dbName, { merchantId: stage.merchantId, mode: 'test' }, rows);
    return async () => 1_000_000 / (await stage.product(EVENTS)).perSecond;
  };
  const few = await cost('few', FEW);
  return hold(
    {
      name: `a delivery after ${many.toLocaleString('en')} to one after ${FEW.toLocaleString('en')}`,
      unit: 'µs/delivery',
      product: await cost('many', many),
      baseline: few,
      target: { atMost: AT_MOST },
      rounds: 5,
      turns: run.size === 'full' ? 2 : 1,
    },
    run,
  );
}

async function fill(world: World, run: BenchRun, db: string, tenant: Tenant, rows: number): Promise<void> {
  for (let done = 0; done < rows; ) {
    const events: EventDoc[] = [];
    await insertMany(world.mongo, { db, collection: 'events' }, FEW, (at) => {
      const event = eventOf(tenant, at);
      events.push(event);
      return event;
    });
    await world.mongo.db(db).collection<ActorDoc>('deliveries').insertMany(events.map(deliveryOf), { ordered: false });
    done += FEW;
    run.signal.throwIfAborted();
    run.progress.step(`webhooks: ${done.toLocaleString('en')} of ${rows.toLocaleString('en')} deliveries inserted`);
  }
}
