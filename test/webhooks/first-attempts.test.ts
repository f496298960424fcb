import { RELAY_GRACE_MS } from '../../src/engine/dispatcher.ts';
import { type FaultHook, type FaultPoint, noFaults } from '../../src/engine/faults.ts';
import type { EventDoc } from '../../src/store/collections.ts';
import { until } from '../../stage/until.ts';
import type { Receiver } from './receiver.ts';
import {
  attempted,
  attemptsOf,
  deliveriesOf,
  emit,
  endsOf,
  itemsOf,
  only,
  quiet,
  storeResource,
  useWorlds,
  type World,
} from './world.ts';

const SOON = { firstAttempts: { most: 4_000, withinMs: 30 } } as const;
const NEVER = { firstAttempts: { most: 4_000, withinMs: 60_000 } } as const;

let receiver: Receiver;
const { open, openWithMerchant } = useWorlds((opened) => {
  receiver = opened;
});

/** Resolves when an event of the resource is stored. */
async function stored(world: World, resourceId: string): Promise<EventDoc> {
  const first = async () => (await deliveriesOf(world.store, resourceId))[0];
  return until(`an event of ${resourceId} is stored`, first, (delivery) => delivery !== undefined);
}

/** The process dies at its first arrival there, in the middle of its work. */
function dying(wanted: FaultPoint) {
  return async (point: FaultPoint): Promise<void> => {
    if (point === wanted) await new Promise<void>(() => {});
  };
}

describe('a first attempt with a quick answer', () => {
  it('keeps its event in the outbox until then', async () => {
    const letGo = receiver.hold();
    const { world, merchantId } = await openWithMerchant(NEVER);
    const resource = await emit(world, merchantId);
    await receiver.got(1);
    await world.engine.completed(resource._id);
    const outbox = () => world.store.records.count('outbox', { 'entries.documentId': resource._id });
    expect(await outbox()).toBe(1);
    expect(await deliveriesOf(world.store, resource._id)).toEqual([]);
    letGo();
    await quiet(world);
    expect(await outbox()).toBe(0);
  });

  it('finds at its turn that the URL was removed', async () => {
    const letGo = receiver.hold();
    const { world, merchantId } = await openWithMerchant({ ...NEVER, limits: { total: 1, perEndpoint: 1 } });
    const first = await emit(world, merchantId);
    await receiver.got(1);
    const second = await emit(world, merchantId);
    await world.engine.completed(second._id);
    await world.webhooks.endpoints.setEndpoint({ merchantId, mode: 'test' }, { url: '' });
    letGo();
    await quiet(world);
    expect((await only(world.store, first._id)).status).toBe('delivered');
    expect((await only(world.store, second._id)).status).toBe('no_endpoint');
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a slow first attempt', () => {
  it('is stored as under way, and recorded when it ends, without a second one', async () => {
    const letGo = receiver.hold();
    const { world, merchantId } = await openWithMerchant(SOON);
    const resource = await emit(world, merchantId);
    expect(await stored(world, resource._id)).toMatchObject({
      status: 'sending',
      wakeAt: new Date('2026-03-01T12:00:30.000Z'),
    });
    letGo();
    await quiet(world);
    const delivery = await only(world.store, resource._id);
    expect(delivery).toMatchObject({ status: 'delivered', rev: 2 });
    expect(attemptsOf(delivery)).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });

  it('is stored if it still waits for its turn, and made when that comes', async () => {
    const letGo = receiver.hold();
    const { world, merchantId } = await openWithMerchant({ ...SOON, limits: { total: 1, perEndpoint: 1 } });
    const first = await emit(world, merchantId);
    await receiver.got(1);
    const second = await emit(world, merchantId);
    expect((await stored(world, second._id)).status).toBe('sending');
    letGo();
    await quiet(world);
    for (const { _id } of [first, second])
      expect(await only(world.store, _id)).toMatchObject({ status: 'delivered', rev: 2 });
    expect(receiver.received).toHaveLength(2);
  });
});

describe('an event whose outbox another process runs', () => {
  /** An event that the one process has committed, and works on, until the other one may run its outbox. */
  async function twoProcesses(fault: FaultHook = noFaults) {
    const { world: one, merchantId } = await openWithMerchant({ ...NEVER, fault });
    const other = open({ ...SOON, store: one.store, clock: one.clock });
    const resource = await emit(one, merchantId);
    return { one, other, resource };
  }

  it.each(['delivery.posted.before', 'delivery.posted.after', 'delivery.stored.after'] as const)(
    'is delivered by that one if the first has died (%s)',
    async (point) => {
      const { one: dead, other, resource } = await twoProcesses(dying(point));
      await dead.engine.completed(resource._id);
      const sent = point === 'delivery.posted.before' ? 0 : 1;
      await receiver.got(sent);
      if (point === 'delivery.stored.after') await stored(other, resource._id);
      other.clock.advance(RELAY_GRACE_MS);
      await other.relay('customers');
      await quiet(other);
      expect(receiver.received).toHaveLength(point === 'delivery.stored.after' ? 1 : sent + 1);
      expect(new Set(receiver.received.map(({ envelope }) => envelope.id)).size).toBe(1);
      expect(await only(other.store, resource._id)).toMatchObject({ status: 'delivered', attempts: [{ attempt: 1 }] });
      expect(await other.store.records.count('outbox', { 'entries.documentId': resource._id })).toBe(0);
      await dead.webhooks.sender.stop(0);
    },
  );

  it('is stored before it is posted, so that a third one leaves it alone', async () => {
    const letGo = receiver.hold();
    const { world, merchantId } = await openWithMerchant(NEVER);
    const third = open({ ...NEVER, store: world.store, clock: world.clock });
    const resource = await storeResource(world.store, merchantId);
    world.clock.advance(RELAY_GRACE_MS);
    expect(await world.webhooks.handlers['webhook.emit'](itemsOf(resource))).toEqual(['done']);
    await receiver.got(1);
    expect(await only(world.store, resource._id)).toMatchObject({ status: 'sending', rev: 1 });
    expect(await third.webhooks.handlers['webhook.emit'](itemsOf(resource))).toEqual(['done']);
    letGo();
    await quiet(world, third);
    expect(await only(world.store, resource._id)).toMatchObject({ status: 'delivered', rev: 2 });
    expect(receiver.received).toHaveLength(1);
  });

  it('is recorded once if the first was only slow', async () => {
    const letGo = receiver.hold();
    const { one: slow, other, resource } = await twoProcesses();
    await receiver.got(1);
    other.clock.advance(RELAY_GRACE_MS);
    await endsOf(other.webhooks.handlers['webhook.emit'](itemsOf(resource)));
    await receiver.got(2);
    letGo();
    await quiet(slow, other);
    const delivery = await only(slow.store, resource._id);
    expect(delivery.status).toBe('delivered');
    expect(attemptsOf(delivery)).toHaveLength(1);
  });
});

describe('the database', () => {
  it('may be away when a result is stored: the result is stored again, not sent again', async () => {
    const { world, merchantId } = await openWithMerchant(NEVER);
    const { records } = world.store;
    const insert = records.insert.bind(records);
    let away = 1;
    records.insert = (into, docs) =>
      into === 'events' && away-- > 0 ? Promise.reject(new Error('the database is away')) : insert(into, docs);
    const resource = await attempted(world, merchantId);
    expect((await only(world.store, resource._id)).status).toBe('delivered');
    expect(receiver.received).toHaveLength(1);
    expect(world.troubles).toEqual(['the outcome of a delivery could not be stored; trying again']);
  });
});

describe('stopping', () => {
  it('breaks off slow attempts, and leaves them in the outbox', async () => {
    receiver.hold();
    const { world, merchantId } = await openWithMerchant(NEVER);
    const resource = await emit(world, merchantId);
    await receiver.got(1);
    await world.webhooks.sender.stop(0);
    await quiet(world);
    expect(await deliveriesOf(world.store, resource._id)).toEqual([]);
    const [outbox] = await world.store.records.get('outbox', [resource.outboxId ?? '']);
    expect(outbox?.entries).toMatchObject([{ documentId: resource._id, effects: [{ sequence: 1 }] }]);
  });
});
