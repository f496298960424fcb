import type { FaultPoint } from '../../src/engine/faults.ts';
import type { Store } from '../../src/store/port.ts';
import { taskOf } from '../../src/webhooks/attempt-reader.ts';
import { type Receiver, signatureOf } from './receiver.ts';
import {
  attempted,
  attemptsOf,
  deliveriesOf,
  emit,
  itemsOf,
  makeMerchant,
  only,
  pass,
  quiet,
  STORED_FIRST,
  setWebhook,
  several,
  storeResource,
  useWorlds,
  type World,
} from './world.ts';

const MINUTE = 60_000;
const LEASE = 30_000;

let receiver: Receiver;
const { open, openWithMerchant } = useWorlds((opened) => {
  receiver = opened;
});

function reject(status: number): void {
  receiver.reply = (response) => void response.writeHead(status).end(`no, ${status}`);
}

describe('a delivery', () => {
  it('posts the envelope of the reference, signed over the exact bytes', async () => {
    const world = open();
    const merchant = await makeMerchant(world.store, { testUrl: `${receiver.url}?a=1&b=%20` });
    const data = { customerId: 'cust_é', wallets: [{ chainFamily: 'evm', address: '0xAb' }] };
    const resource = await attempted(world, merchant._id, { events: [{ event: 'customer.created', data }] });

    expect(receiver.received).toHaveLength(1);
    const post = receiver.last();
    const [event] = await world.store.records.find('events', { where: {}, limit: 10 });
    expect(event).toMatchObject({ resourceId: resource._id, sequence: 1, mode: 'test', merchantId: merchant._id });
    expect(event?._id).toMatch(/^evt_[0-9a-z]{26}$/);
    expect(post.method).toBe('POST');
    expect(post.path).toBe('/hook?a=1&b=%20');
    expect(post.rawBody.toString()).toBe(
      JSON.stringify({
        id: event?._id,
        event: 'customer.created',
        createdAt: '2026-03-01T12:00:00.000Z',
        isSandbox: true,
        data,
        sequence: 1,
      }),
    );
    expect(post.headers['content-type']).toBe('application/json');
    expect(post.headers['content-length']).toBe(String(post.rawBody.length));
    expect(post.headers['x-service-timestamp']).toBe(String(Date.parse('2026-03-01T12:00:00Z') / 1_000));
    expect(post.headers['x-service-signature']).toBe(signatureOf('whsec_dGVzdA==', post));
    for (const name of ['previous', 'mode', 'mode-previous'])
      expect(post.headers).not.toHaveProperty(`x-service-signature-${name}`);
    expect(world.troubles).toEqual([]);
  });

  it.each([200, 201, 204, 299])('ends after an answer of %i, and is not sent again', async (status) => {
    receiver.reply = (response) => void response.writeHead(status).end(status === 204 ? undefined : 'thanks');
    const { world, merchantId } = await openWithMerchant();
    const resource = await attempted(world, merchantId);
    await pass(world, 24 * 60 * MINUTE);

    const delivery = await only(world.store, resource._id);
    expect(delivery.status).toBe('delivered');
    expect(delivery.wakeAt).toBeNull();
    expect(attemptsOf(delivery)).toEqual([
      {
        attempt: 1,
        startedAt: '2026-03-01T12:00:00.000Z',
        durationMs: expect.any(Number),
        status,
        error: null,
        body: status === 204 ? '' : 'thanks',
      },
    ]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('retries', () => {
  it('come 1, 5, 30, 120 and 360 minutes after the attempt before, six attempts in all; then it has failed', async () => {
    reject(500);
    const { world, merchantId } = await openWithMerchant();
    const resource = await attempted(world, merchantId);

    for (const [index, minutes] of [1, 5, 30, 120, 360].entries()) {
      const due = world.clock.now().getTime() + minutes * MINUTE;
      expect((await only(world.store, resource._id)).wakeAt?.getTime()).toBe(due);
      await pass(world, minutes * MINUTE - 1);
      expect(receiver.received).toHaveLength(index + 1);
      await pass(world, 1);
      expect(receiver.received).toHaveLength(index + 2);
    }
    const delivery = await only(world.store, resource._id);
    expect(delivery.status).toBe('failed');
    expect(delivery.wakeAt).toBeNull();
    expect(attemptsOf(delivery).map(({ attempt, status, body }) => [attempt, status, body])).toEqual(
      [1, 2, 3, 4, 5, 6].map((attempt) => [attempt, 500, 'no, 500']),
    );
    await pass(world, 48 * 60 * MINUTE);
    expect(receiver.received).toHaveLength(6);
    expect(new Set(receiver.received.map(({ envelope }) => envelope.id)).size).toBe(1);
    expect(new Set(receiver.received.map(({ rawBody }) => rawBody.toString())).size).toBe(1);
  });

  it('delay neither the next event of the resource nor other resources', async () => {
    receiver.reply = (response, { envelope }) => {
      response.writeHead(envelope.sequence === 1 ? 500 : 200).end();
    };
    const { world, merchantId } = await openWithMerchant();
    const event = { event: 'customer.updated', data: {} } as const;
    const resource = await attempted(world, merchantId, { events: [event, event, event] });

    expect(receiver.received.map(({ envelope }) => envelope.sequence)).toEqual([1, 2, 3]);
    const deliveries = await deliveriesOf(world.store, resource._id);
    expect(deliveries.map(({ status }) => status)).toEqual(['retrying', 'delivered', 'delivered']);
    await pass(world, MINUTE);
    expect(receiver.received.map(({ envelope }) => envelope.sequence)).toEqual([1, 2, 3, 1]);
  });

  it('go to the current URL', async () => {
    reject(410);
    const { world, merchantId } = await openWithMerchant();
    await attempted(world, merchantId);
    await setWebhook(world.store, merchantId, { testUrl: `http://127.0.0.1:${receiver.port}/moved` });
    await pass(world, MINUTE);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/moved']);
  });
});

describe('the URL of an attempt', () => {
  it('is the sandbox URL for sandbox events, otherwise the live one', async () => {
    const world = open();
    const base = `http://127.0.0.1:${receiver.port}`;
    const both = await makeMerchant(world.store, { testUrl: `${base}/test`, liveUrl: `${base}/live` });
    const live = await makeMerchant(world.store, { liveUrl: `${base}/live-only` });
    await emit(world, both._id);
    await attempted(world, live._id);
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/live-only', '/test']);
    expect(receiver.received.map(({ envelope }) => envelope['isSandbox'])).toEqual([true, true]);
  });

  it('is never the sandbox URL for live events: without a live one they end as no_endpoint', async () => {
    const { world, merchantId } = await openWithMerchant();
    const event = { event: 'customer.updated', data: {} } as const;
    const resource = await attempted(world, merchantId, { mode: 'live', events: [event, event] });
    const deliveries = await deliveriesOf(world.store, resource._id);
    expect(deliveries.map(({ status }) => status)).toEqual(['no_endpoint', 'no_endpoint']);
    expect(attemptsOf(deliveries[0])).toEqual([
      expect.objectContaining({ attempt: 1, status: null, error: 'No webhook URL is set', durationMs: 0 }),
    ]);
    expect(receiver.received).toHaveLength(0);
    expect(await world.store.records.count('events', { mode: 'live' })).toBe(2);
  });

  it('costs a merchant without one a single write for each delivery, in any order of creation', async () => {
    const world = open();
    const merchant = await makeMerchant(world.store);
    const inOrder = await attempted(world, merchant._id, { events: several(3) });
    const backwards = await storeResource(world.store, merchant._id, { events: several(3) });
    for (const item of itemsOf(backwards).reverse()) await world.webhooks.handlers['webhook.emit']([item]);
    await quiet(world);
    for (const [resource, revs] of [
      [inOrder, [1, 1, 1]],
      [backwards, [1, 3, 3]],
    ] as const) {
      const deliveries = await deliveriesOf(world.store, resource._id);
      expect(deliveries.map(({ status }) => status)).toEqual(['no_endpoint', 'no_endpoint', 'no_endpoint']);
      expect(deliveries.map(({ rev }) => rev)).toEqual(revs);
      expect(deliveries.map((delivery) => attemptsOf(delivery).length)).toEqual([1, 1, 1]);
    }
  });

  it('may be removed during an attempt: the next event still waits for its end', async () => {
    const letGo = receiver.hold();
    const { world, merchantId } = await openWithMerchant(STORED_FIRST);
    const resource = await storeResource(world.store, merchantId, { events: several(2) });
    const [first, second] = itemsOf(resource);
    if (!first || !second) throw new Error('two items were expected');
    await world.webhooks.handlers['webhook.emit']([first]);
    await receiver.got(1);
    await setWebhook(world.store, merchantId, { testUrl: '' });
    await world.webhooks.handlers['webhook.emit']([second]);
    const statuses = async () => (await deliveriesOf(world.store, resource._id)).map(({ status }) => status);
    expect(await statuses()).toEqual(['sending', 'queued']);
    letGo();
    await quiet(world);
    expect(await statuses()).toEqual(['delivered', 'no_endpoint']);
  });

  it('is never http for live events, even if the database says so', async () => {
    const world = open();
    const merchant = await makeMerchant(world.store, { liveUrl: receiver.url });
    const resource = await attempted(world, merchant._id, { mode: 'live' });
    expect(attemptsOf(await only(world.store, resource._id))[0]).toMatchObject({ error: 'The URL is not allowed' });
    expect(receiver.received).toHaveLength(0);
  });

  it('may be removed between two attempts: the retry ends as no_endpoint', async () => {
    reject(500);
    const { world, merchantId } = await openWithMerchant();
    const resource = await attempted(world, merchantId);
    await setWebhook(world.store, merchantId, { testUrl: '' });
    await pass(world, MINUTE);
    const delivery = await only(world.store, resource._id);
    expect(delivery.status).toBe('no_endpoint');
    expect(attemptsOf(delivery)).toHaveLength(2);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a delivery that is not sound', () => {
  it.each<[string, object]>([
    ['cannot be read', { looks: -1 }],
    ['cannot be read', { attempts: 'none' }],
    ['cannot be read', { resourceId: null, status: 'queued' }],
    ['its machine takes no event', { status: 'delivered' }],
  ])('is quarantined (%s: %j) and holds up no other', async (why, damage) => {
    reject(500);
    const { world, merchantId } = await openWithMerchant();
    const broken = await emit(world, merchantId);
    await attempted(world, merchantId);
    const { _id } = await only(world.store, broken._id);
    await world.store.records.change('events', _id, {}, { set: { ...damage } });
    world.clock.advance(MINUTE);
    expect(await world.webhooks.dispatchDue()).toBe(2);
    await quiet(world);
    expect(receiver.received).toHaveLength(3);
    const [held] = await world.store.records.get('events', [_id]);
    expect(held?.quarantine).toEqual({ at: world.clock.now(), reason: expect.stringContaining(why) });
    await pass(world, 5 * MINUTE);
    expect(receiver.received).toHaveLength(4);
  });
});

describe('a process that fails', () => {
  const failing = (wanted: FaultPoint) => {
    let left = 1;
    return async (point: FaultPoint): Promise<void> => {
      if (point === wanted && left-- > 0) throw new Error(`fault injected at ${point}`);
    };
  };

  it('between post and record leaves the attempt to the lease: the same event comes again, recorded once', async () => {
    const { world, merchantId } = await openWithMerchant({ ...STORED_FIRST, fault: failing('delivery.posted.after') });
    const resource = await attempted(world, merchantId);
    expect(receiver.received).toHaveLength(1);
    expect((await only(world.store, resource._id)).status).toBe('sending');

    await pass(world, LEASE - 1);
    expect(receiver.received).toHaveLength(1);
    await pass(world, 1);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ envelope }) => envelope.id)).size).toBe(1);
    const delivery = await only(world.store, resource._id);
    expect(delivery.status).toBe('delivered');
    expect(attemptsOf(delivery).map(({ attempt }) => attempt)).toEqual([1]);
  });

  it('and is replaced by another one loses nothing, because anybody can take the lease', async () => {
    const first = open({ ...STORED_FIRST, fault: failing('delivery.posted.before') });
    const merchant = await makeMerchant(first.store, { testUrl: receiver.url });
    await attempted(first, merchant._id);
    await first.webhooks.sender.stop(0);
    const second = open({ store: first.store, clock: first.clock });
    await pass(second, LEASE);
    expect(receiver.received).toHaveLength(1);
  });

  it('stores a result again when the database was away, and does not send again', async () => {
    const { world, merchantId } = await openWithMerchant(STORED_FIRST);
    const { records } = world.store;
    const changeMany = records.changeMany.bind(records);
    let away = 0;
    receiver.reply = (response) => {
      away = 1;
      response.end();
    };
    records.changeMany = (of, changes) =>
      away-- > 0 ? Promise.reject(new Error('the database is away')) : changeMany(of, changes);
    const resource = await attempted(world, merchantId);
    expect((await only(world.store, resource._id)).status).toBe('delivered');
    expect(receiver.received).toHaveLength(1);
    expect(world.troubles).toEqual(['the outcome of a delivery could not be stored; trying again']);
  });
});

describe('an attempt that waits in its process for longer than its lease', () => {
  /** A process that can make one post, which hangs, and a second delivery that waits behind it. */
  async function congested(world: World): Promise<{ first: string; second: string }> {
    const merchant = await makeMerchant(world.store, { testUrl: receiver.url });
    const { _id: first } = await emit(world, merchant._id);
    await receiver.got(1);
    const { _id: second } = await emit(world, merchant._id);
    await world.engine.completed(second);
    return { first, second };
  }

  /** Holds back all changes of deliveries from now on. `asked`: one waits. */
  function holdChanges({ records }: Store): { readonly asked: Promise<void>; readonly letGo: () => void } {
    const changeMany = records.changeMany.bind(records);
    let letGo = (): void => {};
    const open = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      records.changeMany = async (of, changes) => {
        resolve();
        await open;
        return changeMany(of, changes);
      };
    });
    return { asked, letGo: () => letGo() };
  }

  async function expectDeliveredOnce(store: Store, resourceIds: readonly string[]): Promise<void> {
    for (const resourceId of resourceIds) {
      const delivery = await only(store, resourceId);
      expect(delivery.status).toBe('delivered');
      expect(attemptsOf(delivery)).toHaveLength(1);
    }
  }

  const tight = { ...STORED_FIRST, limits: { total: 1, perEndpoint: 1 } };

  it('is not made any more, but left to the process that the lease wakes', async () => {
    const world = open(tight);
    const letGo = receiver.hold();
    const { first, second } = await congested(world);
    world.clock.advance(LEASE);
    letGo();
    await quiet(world);
    expect(receiver.received).toHaveLength(1);

    await pass(world, 0);
    expect(receiver.received).toHaveLength(2);
    await expectDeliveredOnce(world.store, [first, second]);
  });

  it('is made once by a process that got it twice', async () => {
    const world = open(tight);
    const letGo = receiver.hold();
    const { first, second } = await congested(world);
    world.clock.advance(LEASE);
    expect(await world.webhooks.dispatchDue()).toBe(2);
    letGo();
    await quiet(world);
    expect(receiver.received).toHaveLength(2);
    await expectDeliveredOnce(world.store, [first, second]);
  });

  it('is not made again while the result of the one before is being stored', async () => {
    const letGo = receiver.hold();
    const { world, merchantId } = await openWithMerchant(STORED_FIRST);
    const { _id: resourceId } = await emit(world, merchantId);
    await receiver.got(1);
    world.clock.advance(LEASE);
    await world.webhooks.dispatchDue();
    const stored = holdChanges(world.store);
    letGo();
    await stored.asked;
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(receiver.received).toHaveLength(1);
    stored.letGo();
    await quiet(world);
    expect(receiver.received).toHaveLength(1);
    await expectDeliveredOnce(world.store, [resourceId]);
  });

  it('is made even if an older request for it is still being checked', async () => {
    let isFailing = true;
    const world = open({
      ...STORED_FIRST,
      fault: async (point) => {
        if (point === 'delivery.posted.before' && isFailing) throw new Error('not now');
      },
    });
    const merchant = await makeMerchant(world.store, { testUrl: receiver.url });
    const { _id: resourceId } = await attempted(world, merchant._id);
    isFailing = false;
    const event = await only(world.store, resourceId);
    const { sender } = world.webhooks;
    sender.take({ ...taskOf(event), rev: event.rev - 1, event: null });
    await Promise.resolve();
    sender.take(taskOf(event));
    await quiet(world);
    expect(receiver.received).toHaveLength(1);
    await expectDeliveredOnce(world.store, [resourceId]);
  });

  it('is left alone while another process, which has taken it over, makes it', async () => {
    const slow = open(tight);
    const other = open({ ...STORED_FIRST, store: slow.store, clock: slow.clock });
    const letGo = receiver.hold();
    const { first, second } = await congested(slow);
    slow.clock.advance(LEASE);
    const letOtherGo = receiver.hold();
    await other.webhooks.dispatchDue();
    await receiver.got(3);
    letGo();
    await quiet(slow);
    expect(receiver.received).toHaveLength(3);

    letOtherGo();
    await quiet(slow, other);
    await expectDeliveredOnce(slow.store, [first, second]);
  });
});

describe('stopping', () => {
  it('waits for attempts under way, and records them', async () => {
    const letGo = receiver.hold();
    const { world, merchantId } = await openWithMerchant();
    const resource = await emit(world, merchantId);
    await receiver.got(1);
    const stopped = world.webhooks.sender.stop(10_000);
    letGo();
    await stopped;
    expect((await only(world.store, resource._id)).status).toBe('delivered');
  });

  it('breaks off slow attempts, and leaves them to the lease without a record', async () => {
    receiver.reply = () => {};
    const { world, merchantId } = await openWithMerchant(STORED_FIRST);
    const resource = await emit(world, merchantId);
    await receiver.got(1);
    await world.webhooks.sender.stop(0);
    await quiet(world);
    const delivery = await only(world.store, resource._id);
    expect(delivery.status).toBe('sending');
    expect(attemptsOf(delivery)).toEqual([]);
  });
});
