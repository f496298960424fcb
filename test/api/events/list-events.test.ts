import type { EventDoc } from '../../../src/store/collections.ts';
import { newId } from '../../../src/store/ids.ts';
import { event } from '../../store/support/documents.ts';
import { expectError, idsOf, type Reply, startHttp, useHttp } from '../../support/http.ts';
import { emit } from '../../webhooks/world.ts';

const http = useHttp();
let merchantId: string;
let testKey: string;
let liveKey: string;
beforeEach(async () => {
  const made = await http.merchant();
  ({ testKey, liveKey } = made);
  merchantId = made.merchant._id;
});

function list(query = '', key = testKey): Promise<Reply> {
  return http.call('GET', `/events${query}`, { key });
}

const WALLETS = [{ chainFamily: 'evm', address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }] as const;

/** Logs an event of a new customer, as a process of the service does. */
async function created(at = http.now): Promise<string> {
  const customerId = newId('cust', at);
  const data = { customerId, wallets: [...WALLETS] };
  await emit(http.billing, merchantId, { at, events: [{ event: 'customer.created', data }] });
  await http.billing.quiet();
  return customerId;
}

/** An event of another process: it is in the database, but this process got no notice. */
async function loggedElsewhere(change: Partial<EventDoc> = {}): Promise<string> {
  const _id = newId('evt', http.now);
  const customerId = newId('cust', http.now);
  const doc = event({
    _id,
    merchantId,
    resourceId: customerId,
    event: 'customer.deleted',
    createdAt: http.now,
    data: { customerId },
    ...change,
  });
  await http.store.records.insert('events', [doc]);
  return _id;
}

/** Resolves when so many more calls wait for an event. */
async function untilWaiting(before: number, count = 1): Promise<void> {
  // An accepted call makes three round trips before it waits: its key, its limits, the newest event.
  while (http.store.roundTrips() < before + 3 * count) await new Promise((resolve) => setImmediate(resolve));
}

describe('GET /events 200', () => {
  it('shows each event exactly as delivered, newest first', async () => {
    const first = await created();
    http.now = new Date(http.now.getTime() + 1_000);
    const second = await created();
    const { status, body } = await list();
    expect(status).toBe(200);
    const shown = (customerId: string, createdAt: Date) => ({
      id: expect.stringMatching(/^evt_/),
      event: 'customer.created',
      createdAt: createdAt.toISOString(),
      isSandbox: true,
      data: { customerId, wallets: [...WALLETS] },
      sequence: 1,
    });
    const earlier = new Date(http.now.getTime() - 1_000);
    expect(body).toEqual({
      events: [shown(second, http.now), shown(first, earlier)],
      limit: 20,
      start: 0,
      hasMore: false,
    });
  });

  it('filters by kind and by the key’s environment, and pages', async () => {
    await created();
    const deleted = await loggedElsewhere({ createdAt: new Date(http.now.getTime() + 1) });
    const live = await loggedElsewhere({ mode: 'live' });
    expect(idsOf(await list('?event=customer.deleted'), 'events')).toEqual([deleted]);
    expect(idsOf(await list('?limit=1'), 'events')).toEqual([deleted]);
    expect(idsOf(await list('?limit=1&start=1'), 'events')).toHaveLength(1);
    expect(idsOf(await list('?start=2'), 'events')).toEqual([]);
    expect(idsOf(await list('', liveKey), 'events')).toEqual([live]);
  });
});

describe('GET /events?wait=', () => {
  it('answers with an event when this process logs it', async () => {
    await created();
    const before = http.store.roundTrips();
    const waiting = list('?wait=25');
    await untilWaiting(before);
    const customerId = await created(new Date(http.now.getTime() + 1));
    const { body } = await waiting;
    expect(body).toMatchObject({ events: [{ data: { customerId } }, { event: 'customer.created' }] });
  });

  it('answers when another process logs an event', async () => {
    const before = http.store.roundTrips();
    const waiting = list('?wait=25');
    await untilWaiting(before);
    const id = await loggedElsewhere();
    expect(idsOf(await waiting, 'events')).toEqual([id]);
  });

  it('does not answer to an event of another kind', async () => {
    const before = http.store.roundTrips();
    const waiting = list('?wait=25&event=customer.deleted');
    await untilWaiting(before);
    await created();
    const id = await loggedElsewhere();
    expect(idsOf(await waiting, 'events')).toEqual([id]);
  });

  it('answers with the known events when the time is over', async () => {
    const id = await loggedElsewhere();
    const began = performance.now();
    expect(idsOf(await list('?wait=1'), 'events')).toEqual([id]);
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
  });

  it('answers at once if the newest event is not the known one', async () => {
    const known = await loggedElsewhere();
    const newer = await loggedElsewhere({ createdAt: new Date(http.now.getTime() + 1) });
    expect(idsOf(await list(`?wait=25&known=${known}`), 'events')).toEqual([newer, known]);
  });

  it('answers at once if an event was logged behind the newest known ones', async () => {
    const known = [await loggedElsewhere(), await loggedElsewhere()];
    const late = await loggedElsewhere({ createdAt: new Date(http.now.getTime() - 1) });
    const page = idsOf(await list(`?wait=25&known=${known.toReversed().join()},none`), 'events');
    expect(page.toSorted()).toEqual([...known, late].toSorted());
  });

  it('waits if the newest event is known, or if there is none', async () => {
    for (const known of ['none', null]) {
      const newest = known ?? idsOf(await list(), 'events')[0];
      const before = http.store.roundTrips();
      const waiting = list(`?wait=25&known=${newest}`);
      await untilWaiting(before);
      const id = await loggedElsewhere({ createdAt: new Date(http.now.getTime() + before) });
      expect(idsOf(await waiting, 'events')[0]).toBe(id);
    }
  });

  it('answers all waiting calls when the service stops', async () => {
    const own = await startHttp();
    const { testKey: key } = await own.merchant();
    const before = own.store.roundTrips();
    const waiting = own.call('GET', '/events?wait=25', { key });
    while (own.store.roundTrips() < before + 3) await new Promise((resolve) => setImmediate(resolve));
    own.billing.watch.interrupt();
    expect((await waiting).status).toBe(200);
    await own.stop();
  });
});

describe('GET /events 400', () => {
  it.each([
    ['?wait=26', 'wait must be between 0 and 25'],
    ['?wait=-1', 'wait must be between 0 and 25'],
    ['?wait=1.5', 'wait must be between 0 and 25'],
    ['?wait=', 'wait must be between 0 and 25'],
    [`?known=${'a,'.repeat(20)}`, 'known must be at most 20 ids'],
    ['?limit=101', 'limit must be between 1 and 100'],
    ['?event=customer.made', /^event must be one of customer\.created, .*payment\.pulled$/],
  ])('refuses %s', async (query, message) => {
    expectError(await list(query), 400, typeof message === 'string' ? message : expect.stringMatching(message));
  });
});
