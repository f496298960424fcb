import { RELAY_GRACE_MS } from '../../src/engine/dispatcher.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { until } from '../../stage/until.ts';
import { Random } from '../../tools/crashtest/random.ts';
import { withRecords } from '../engine/support/stores.ts';
import { TestClock } from '../engine/support/world.ts';
import type { Receiver } from './receiver.ts';
import {
  attempted,
  deliveriesOf,
  type EmitItem,
  emit,
  endsOf,
  itemsOf,
  makeMerchant,
  pass,
  quiet,
  STORED_FIRST,
  several,
  storeResource,
  useWorlds,
} from './world.ts';

let receiver: Receiver;
const { open, openWithMerchant } = useWorlds((opened) => {
  receiver = opened;
});

/** The received numbers, by their resources. */
async function sequencesByResource(store: LedgerStore): Promise<Map<string, number[]>> {
  const ids = receiver.received.map(({ envelope }) => envelope.id);
  const events = await store.records.get('events', [...new Set(ids)]);
  const resourceOf = new Map(events.map((event) => [event._id, event.resourceId]));
  const found = new Map<string, number[]>();
  for (const { envelope } of receiver.received) {
    const id = resourceOf.get(envelope.id) ?? 'unknown';
    found.set(id, [...(found.get(id) ?? []), envelope.sequence]);
  }
  return found;
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const keyed = list.map((item) => ({ item, key: random.next() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}

describe('the first attempts of one resource', () => {
  it('come in the order of their numbers, each after the answer to the one before', async () => {
    const world = open();
    let atOnce = 0;
    let most = 0;
    receiver.reply = (response) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      setImmediate(() => {
        atOnce -= 1;
        response.end();
      });
    };
    const merchant = await makeMerchant(world.store, { testUrl: receiver.url });
    await attempted(world, merchant._id, { events: several(20) });
    expect(receiver.received.map(({ envelope }) => envelope.sequence)).toEqual(
      several(20).map((_, index) => index + 1),
    );
    expect(most).toBe(1);
  });

  it('wait for a slow one before them, while other resources continue', async () => {
    let answer = (): void => {};
    receiver.reply = (response) => {
      if (receiver.received.length === 1) answer = () => void response.end();
      else response.end();
    };
    const { world, merchantId } = await openWithMerchant(STORED_FIRST);
    const slow = await emit(world, merchantId, { events: several(3) });
    await receiver.got(1);
    await emit(world, merchantId, { events: several(3) });
    await receiver.got(4);
    const statuses = async () => (await deliveriesOf(world.store, slow._id)).map(({ status }) => status);
    expect(await statuses()).toEqual(['sending', 'queued', 'queued']);
    answer();
    await quiet(world);
    expect(await statuses()).toEqual(['delivered', 'delivered', 'delivered']);
    expect((await sequencesByResource(world.store)).get(slow._id)).toEqual([1, 2, 3]);
  });

  it('are in the log in that order too, each stored once, with its outcome', async () => {
    const { world, merchantId } = await openWithMerchant({ firstAttempts: { most: 9, withinMs: 60_000 } });
    const letGo = receiver.hold();
    const resource = await emit(world, merchantId, { events: several(3) });
    await receiver.got(1);
    await world.engine.completed(resource._id);
    expect(await deliveriesOf(world.store, resource._id)).toEqual([]);
    letGo();
    await quiet(world);
    const stored = await deliveriesOf(world.store, resource._id);
    expect(stored.map(({ sequence, status, rev }) => [sequence, status, rev])).toEqual([
      [1, 'delivered', 1],
      [2, 'delivered', 1],
      [3, 'delivered', 1],
    ]);
  });

  it('keep their order when one delivery is made long after the one before has ended', async () => {
    const { world, merchantId } = await openWithMerchant();
    const resource = await storeResource(world.store, merchantId, { events: several(2) });
    for (const item of itemsOf(resource)) {
      await world.webhooks.handlers['webhook.emit']([item]);
      await quiet(world);
    }
    expect(receiver.received.map(({ envelope }) => envelope.sequence)).toEqual([1, 2]);
  });

  it('find their turn by themselves if nobody reports the end of the one before', async () => {
    const { world, merchantId } = await openWithMerchant({ ...STORED_FIRST, isDeaf: true });
    await attempted(world, merchantId, { events: several(3) });
    const sequences = () => receiver.received.map(({ envelope }) => envelope.sequence);
    expect(sequences()).toEqual([1]);
    await pass(world, 9_999);
    expect(sequences()).toEqual([1]);
    await pass(world, 1);
    expect(sequences()).toEqual([1, 2]);
    // The third one checked at the same time, before the second had ended: again after 20 seconds.
    await pass(world, 20_000);
    expect(sequences()).toEqual([1, 2, 3]);
    expect(await world.store.records.count('events', { status: 'delivered' })).toBe(3);
  });

  it('are retried even if a suspended process reports again that their turn has come', async () => {
    const world = open({ ...STORED_FIRST, isDeaf: true });
    let wakeUp = (): void => {};
    const awake = new Promise<void>((resolve) => {
      wakeUp = resolve;
    });
    const store = withRecords(world.store, (records) => ({
      changeMany: (of, changes) => awake.then(() => records.changeMany(of, changes)),
    }));
    const stalled = open({ ...STORED_FIRST, store, clock: world.clock });
    receiver.reply = (response) => void response.writeHead(receiver.received.length === 2 ? 500 : 200).end();
    const merchant = await makeMerchant(world.store, { testUrl: receiver.url });
    const resource = await attempted(world, merchant._id, { events: several(2) });
    world.clock.advance(10_000);
    const reported = stalled.webhooks.dispatchDue();
    await until(
      'the suspended process has decided',
      async () => stalled.store.roundTrips(),
      (trips) => trips > 0,
    );
    const states = async () => (await deliveriesOf(world.store, resource._id)).map(({ status, rev }) => [status, rev]);
    await pass(world, 0);
    expect(await states()).toEqual([
      ['delivered', 2],
      ['retrying', 3],
    ]);
    wakeUp();
    await reported;
    await quiet(stalled);
    expect(receiver.received).toHaveLength(2);
    await pass(world, 60_000);
    expect(await states()).toEqual([
      ['delivered', 2],
      ['delivered', 5],
    ]);
  });

  it('do not fail if the database is away when their turn comes', async () => {
    let isAway = true;
    const store = withRecords(openMemoryStore(), (records) => ({
      changeMany: async (of, changes) => {
        if (isAway) throw new StoreUnavailable('no answer');
        return records.changeMany(of, changes);
      },
    }));
    const world = open({ store });
    const merchant = await makeMerchant(store, { testUrl: receiver.url });
    for (const item of itemsOf(await storeResource(store, merchant._id, { events: several(2) })).reverse())
      await world.webhooks.handlers['webhook.emit']([item]);
    await quiet(world);
    expect(receiver.received).toHaveLength(1);
    expect(world.troubles).toEqual(['the next deliveries could not be started; each checks its turn when it is due']);
    isAway = false;
    await pass(world, 10_000);
    expect(receiver.received.map(({ envelope }) => envelope.sequence)).toEqual([1, 2]);
  });

  it.each([1, 2, 3])(
    'keep it, each sent once, when two processes relay everything twice in any order (order %i)',
    async (seed) => {
      const store = openMemoryStore();
      const clock = new TestClock();
      const pair = [open({ store, clock }), open({ store, clock })];
      const later: Promise<unknown>[] = [];
      const random = new Random(seed);
      receiver.reply = (response) => void setImmediate(() => response.end());
      const merchant = await makeMerchant(store, { testUrl: receiver.url });
      const resources = await Promise.all(
        Array.from({ length: 10 }, () => storeResource(store, merchant._id, { events: several(5) })),
      );
      // Any process may run them now.
      clock.advance(RELAY_GRACE_MS);
      const all = resources.flatMap(itemsOf);
      const runs = pair.flatMap((world) =>
        [batchesOf(shuffled(all, random), random), batchesOf(shuffled(all, random), random)].map(async (batches) => {
          for (const batch of batches) {
            const results = await world.webhooks.handlers['webhook.emit'](batch);
            later.push(endsOf(Promise.resolve(results)).then((ends) => expect(ends).toEqual(batch.map(() => 'done'))));
            if (random.next() < 0.5) await new Promise((resolve) => setImmediate(resolve));
          }
        }),
      );
      await Promise.all(runs);
      await Promise.all(later);
      await quiet(...pair);

      const found = await sequencesByResource(store);
      expect(found.size).toBe(10);
      for (const sequences of found.values()) expect(sequences).toEqual([1, 2, 3, 4, 5]);
      expect(await store.records.count('events', {})).toBe(50);
      expect(await store.records.count('events', { status: 'delivered' })).toBe(50);
    },
  );
});

describe('a used number', () => {
  it('of another event is an error, and that event keeps its delivery', async () => {
    const { world, merchantId } = await openWithMerchant();
    const resource = await storeResource(world.store, merchantId);
    const [item] = itemsOf(resource);
    if (!item) throw new Error('an item was expected');
    const emitted = world.webhooks.handlers['webhook.emit'];
    expect(await endsOf(emitted([item]))).toEqual(['done']);
    const eventId = receiver.received[0]?.envelope.id;
    const [result] = await endsOf(
      emitted([{ ...item, id: `${resource._id}:2:0`, at: new Date(item.at.getTime() + 1) }]),
    );
    expect(result).toEqual({ failed: expect.objectContaining({ message: expect.stringContaining('number 1 of') }) });
    await quiet(world);
    expect(await deliveriesOf(world.store, resource._id)).toEqual([
      expect.objectContaining({ _id: eventId, status: 'delivered', rev: 1 }),
    ]);
  });

  it('is missing completely: that item fails, its neighbours do not', async () => {
    const { world, merchantId } = await openWithMerchant();
    const [item] = itemsOf(await storeResource(world.store, merchantId));
    const [other] = itemsOf(await storeResource(world.store, merchantId));
    if (!item || !other) throw new Error('two items were expected');
    const results = world.webhooks.handlers['webhook.emit']([{ ...item, sequence: null }, other]);
    expect(await endsOf(results)).toEqual([{ failed: expect.any(Error) }, 'done']);
    await quiet(world);
    expect(receiver.received).toHaveLength(1);
  });
});

/** Cut into runs of 1 to 8. */
function batchesOf(items: readonly EmitItem[], random: Random): EmitItem[][] {
  const batches: EmitItem[][] = [];
  for (let start = 0; start < items.length; ) {
    const end = start + random.integer(1, 8);
    batches.push(items.slice(start, end));
    start = end;
  }
  return batches;
}
