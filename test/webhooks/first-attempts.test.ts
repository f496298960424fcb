import type { FaultPoint } from '../../src/engine/faults.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { until } from '../../stage/until.ts';
import { TestClock } from '../engine/support/world.ts';
import type { Receiver } from './receiver.ts';
import {
  attemptsOf,
  deliveriesOf,
  emit,
  endsOf,
  itemsOf,
  makeMerchant,
  only,
  openWorld,
  pass,
  quiet,
  useWorlds,
  type World,
} from './world.ts';

const SOON = { firstAttempts: { most: 4_000, withinMs: 30 } } as const;
const NEVER = { firstAttempts: { most: 4_000, withinMs: 60_000 } } as const;

let receiver: Receiver;
const { open, openWithMerchant } = useWorlds((opened) => {
  receiver = opened;
});

/** Answers that wait until they are released. */
function holdAnswers(status = 200): () => void {
  const held: (() => void)[] = [];
  let isOpen = false;
  receiver.reply = (response) => {
    const answer = () => void response.writeHead(status).end();
    if (isOpen) answer();
    else held.push(answer);
  };
  return () => {
    isOpen = true;
    for (const answer of held.splice(0)) answer();
  };
}

/** Resolves when a delivery of the resource is stored. */
async function stored(world: World, resourceId: string): Promise<ActorDoc> {
  const first = async () => (await deliveriesOf(world.store, resourceId))[0];
  return until(`a delivery of ${resourceId} is stored`, first, (delivery) => delivery !== undefined);
}

/** The process dies at its first arrival there, in the middle of its work. */
function dying(wanted: FaultPoint) {
  return async (point: FaultPoint): Promise<void> => {
    if (point === wanted) await new Promise<void>(() => {});
  };
}

describe('a first attempt with a quick answer', () => {
  it('is stored once, with its result', async () => {
    const { world, merchantId } = await openWithMerchant(NEVER);
    const resource = await emit(world, merchantId);
    await quiet(world);
    const delivery = await only(world.store, resource._id);
    expect(delivery).toMatchObject({ status: 'delivered', rev: 1, outbox: [], relayAt: null, wakeAt: null });
    expect(attemptsOf(delivery)).toMatchObject([{ attempt: 1, status: 200, error: null }]);
    const [customer] = await world.store.records.get('customers', [resource._id]);
    expect(customer).toMatchObject({ outbox: [], relayAt: null });
    expect(world.troubles).toEqual([]);
  });

  it('keeps its event in the outbox until then', async () => {
    const letGo = holdAnswers();
    const { world, merchantId } = await openWithMerchant(NEVER);
    const resource = await emit(world, merchantId);
    await receiver.got(1);
    await world.engine.completed(resource._id);
    const outbox = async () => (await world.store.records.get('customers', [resource._id]))[0]?.outbox.length;
    expect(await outbox()).toBe(1);
    expect(await deliveriesOf(world.store, resource._id)).toEqual([]);
    letGo();
    await quiet(world);
    expect(await outbox()).toBe(0);
  });

  it('is retried on the schedule if it has failed', async () => {
    receiver.reply = (response) => void response.writeHead(503).end('later');
    const { world, merchantId } = await openWithMerchant(NEVER);
    const resource = await emit(world, merchantId);
    await quiet(world);
    const delivery = await only(world.store, resource._id);
    expect(delivery).toMatchObject({ status: 'retrying', wakeAt: new Date('2026-03-01T12:01:00.000Z') });
    expect(attemptsOf(delivery)).toMatchObject([{ attempt: 1, status: 503, body: 'later' }]);
    receiver.reply = (response) => void response.end();
    await pass(world, 59_999);
    expect(receiver.received).toHaveLength(1);
    await pass(world, 1);
    expect(await only(world.store, resource._id)).toMatchObject({ status: 'delivered', outbox: [] });
  });

  it('finds at its turn that the URL was removed', async () => {
    const letGo = holdAnswers();
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
    const letGo = holdAnswers();
    const { world, merchantId } = await openWithMerchant(SOON);
    const resource = await emit(world, merchantId);
    expect(await stored(world, resource._id)).toMatchObject({
      status: 'sending',
      wakeAt: new Date('2026-03-01T12:00:30.000Z'),
    });
    letGo();
    await quiet(world);
    const delivery = await only(world.store, resource._id);
    expect(delivery).toMatchObject({ status: 'delivered', rev: 2, outbox: [] });
    expect(attemptsOf(delivery)).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });

  it('is stored if it still waits for its turn, and made when that comes', async () => {
    const letGo = holdAnswers();
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

describe('an event that another process has logged', () => {
  it('is left to that process while it works on it', async () => {
    const store = openMemoryStore();
    const clock = new TestClock();
    const one = open({ ...NEVER, store, clock });
    const other = open({ ...SOON, store, clock });
    const letGo = holdAnswers();
    const merchant = await makeMerchant(store, { testUrl: receiver.url });
    const resource = await emit(one, merchant._id);
    await receiver.got(1);
    const again = endsOf(other.webhooks.handlers['webhook.emit'](itemsOf(resource)));
    letGo();
    expect(await again).toEqual(['done']);
    await quiet(one, other);
    expect(receiver.received).toHaveLength(1);
    expect(await only(one.store, resource._id)).toMatchObject({ status: 'delivered', rev: 1 });
  });

  it.each(['delivery.posted.before', 'delivery.posted.after'] as const)(
    'is delivered by another one if that has died (%s)',
    async (point) => {
      const store = openMemoryStore();
      const clock = new TestClock();
      const dead = openWorld({ ...NEVER, store, clock, fault: dying(point) });
      const other = open({ ...SOON, store, clock });
      const merchant = await makeMerchant(store, { testUrl: receiver.url });
      const resource = await emit(dead, merchant._id);
      await dead.engine.completed(resource._id);
      if (point === 'delivery.posted.after') await receiver.got(1);
      const before = receiver.received.length;
      expect(await endsOf(other.webhooks.handlers['webhook.emit'](itemsOf(resource)))).toEqual(['done']);
      await quiet(other);
      expect(receiver.received).toHaveLength(before + 1);
      expect(new Set(receiver.received.map(({ envelope }) => envelope.id)).size).toBe(1);
      expect((await only(other.store, resource._id)).status).toBe('delivered');
      await dead.webhooks.sender.stop(0);
    },
  );

  it('is recorded once if that was only slow', async () => {
    const store = openMemoryStore();
    const clock = new TestClock();
    const slow = open({ ...NEVER, store, clock });
    const other = open({ ...SOON, store, clock });
    const letGo = holdAnswers();
    const merchant = await makeMerchant(store, { testUrl: receiver.url });
    const resource = await emit(slow, merchant._id);
    await receiver.got(1);
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
    const insert = world.store.actors.insert.bind(world.store.actors);
    let away = 1;
    world.store.actors.insert = (kind, docs) =>
      away-- > 0 ? Promise.reject(new Error('the database is away')) : insert(kind, docs);
    const resource = await emit(world, merchantId);
    await quiet(world);
    expect((await only(world.store, resource._id)).status).toBe('delivered');
    expect(receiver.received).toHaveLength(1);
    expect(world.troubles).toEqual(['the outcome of a delivery could not be stored; trying again']);
  });
});

describe('stopping', () => {
  it('breaks off slow attempts, and leaves them in the outbox', async () => {
    holdAnswers();
    const { world, merchantId } = await openWithMerchant(NEVER);
    const resource = await emit(world, merchantId);
    await receiver.got(1);
    await world.webhooks.sender.stop(0);
    await quiet(world);
    expect(await deliveriesOf(world.store, resource._id)).toEqual([]);
    const [customer] = await world.store.records.get('customers', [resource._id]);
    expect(customer?.outbox).toHaveLength(1);
    expect(customer?.relayAt).not.toBeNull();
  });
});
