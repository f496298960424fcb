import { deliveryInTurn } from '../../../machines/delivery/context.ts';
import type { EventDoc } from '../../../src/store/collections.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import { newId, partitionOf } from '../../../src/store/ids.ts';
import type { Tenant } from '../../../src/store/tenant.ts';
import { deliveryIdOf } from '../../../src/webhooks/deliveries.ts';
import { insertMany } from '../api/documents.ts';
import type { BenchRun } from '../bench.ts';
import { hold } from '../contest.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import { openStage } from './stage.ts';

const FEW = 10_000;
const AT_MOST = 1.3;
const EVENTS = 1_000;

/** The cost of a delivery of a merchant with many earlier deliveries, beside one with few. The product is both sides. */
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
  const step = (what: string) => (done: number) => {
    run.signal.throwIfAborted();
    run.progress.step(`webhooks: ${done.toLocaleString('en')} of ${rows.toLocaleString('en')} ${what} inserted`);
  };
  const events: EventDoc[] = [];
  const batch = async (size: number) => {
    await insertMany(world.mongo, { db, collection: 'events' }, size, (at) => {
      const event = eventOf(tenant, at);
      events.push(event);
      return event;
    });
    await insertMany(world.mongo, { db, collection: 'deliveries' }, size, () => deliveredOf(events));
  };
  for (let done = 0; done < rows; done += FEW) {
    await batch(FEW);
    step('deliveries')(done + FEW);
  }
}

function eventOf({ merchantId, mode }: Tenant, at: Date): EventDoc {
  const customerId = newId('cust', at);
  return {
    _id: newId('evt', at),
    merchantId,
    mode,
    resourceId: customerId,
    sequence: 1,
    event: 'customer.created',
    createdAt: at,
    data: { customerId, wallets: [] },
  };
}

/** A delivery of the next event, as the service leaves it after its arrival. */
function deliveredOf(events: EventDoc[]): ActorDoc {
  const event = events.shift();
  if (event === undefined) throw new Error('no event is left for a delivery');
  const { _id: eventId, merchantId, mode, resourceId, sequence, createdAt } = event;
  const id = deliveryIdOf(resourceId, sequence);
  const made = deliveryInTurn({ id, eventId, resourceId, sequence });
  const startedAt = createdAt.toISOString();
  return {
    _id: id,
    kind: 'delivery',
    merchantId,
    mode,
    attributes: { eventId, resourceId, sequence, event: event.event },
    machineVersion: 1,
    value: 'delivered',
    context: { ...made, attempts: [{ attempt: 1, startedAt, durationMs: 9, status: 200, error: null, body: '' }] },
    status: 'delivered',
    rev: 2,
    recentOps: [newId('op', createdAt), newId('op', createdAt)],
    eventSeq: 0,
    wakeAt: null,
    relayAt: null,
    relayFailures: 0,
    clockOffsetMs: 0,
    partition: partitionOf(id),
    outbox: [],
    quarantine: null,
    createdAt,
    updatedAt: createdAt,
  };
}
