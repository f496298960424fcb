import type { EventDoc } from '../../../src/store/collections.ts';
import { newId } from '../../../src/store/ids.ts';
import { actor, effects, event, insertActors } from '../../store/support/documents.ts';
import { expectError, idsOf, type Reply, startHttp, useHttp, useMerchant } from '../../support/http.ts';
import { emit, storeResource } from '../../webhooks/world.ts';

const http = useHttp();
const merchant = useMerchant(http);
// The note of a key's first use on a day is not among the round trips of a call that is counted.
beforeEach(() => merchant.get('/currencies'));

function list(query = '', key?: string): Promise<Reply> {
  return merchant.get(`/events${query}`, key);
}

const WALLETS = [{ chainFamily: 'evm', address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }] as const;

function creation(at: Date) {
  const data = { customerId: newId('cust', at), wallets: [...WALLETS] };
  return { at, events: [{ event: 'customer.created', data }] } as const;
}

/** Logs an event of a new customer, as a process of the service does. */
async function created(at = http.now): Promise<string> {
  const creating = creation(at);
  await emit(http.billing, merchant.id, creating);
  await http.billing.quiet();
  return creating.events[0].data.customerId;
}

/** An event of another process: it is in the database, but this process got no notice. */
async function loggedElsewhere(change: Partial<EventDoc> = {}): Promise<string> {
  const _id = newId('evt', http.now);
  const customerId = newId('cust', http.now);
  const doc = event({
    _id,
    merchantId: merchant.id,
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
    http.later(1_000);
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
    expect(idsOf(await list('', merchant.liveKey), 'events')).toEqual([live]);
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

describe('GET /events?order=asc', () => {
  const UNSEEN_MS = 15_000;

  /** A moment so long before the present that every process has written what it decided then. */
  function past(ms: number): Date {
    return new Date(http.now.getTime() - 60_000 + ms);
  }

  /** A document with an event that its process has decided and not stored. */
  async function heldOpen(kind: string, heldAt: Date): Promise<void> {
    const items = effects('held', 1, 2).map((item) => ({ ...item, at: heldAt }));
    const doc = { merchantId: merchant.id, mode: 'test', outbox: items, updatedAt: http.now } as const;
    if (kind === 'customer') await storeResource(http.store, merchant.id, creation(heldAt));
    else if (kind === 'payment') await insertActors(http.store, [actor({ ...doc, kind })]);
    else await insertActors(http.store, [actor(doc)]);
  }

  it('continues after an event, and shows one that another process stores late before those that came after it', async () => {
    const first = await loggedElsewhere({ createdAt: past(0) });
    await storeResource(http.store, merchant.id, creation(past(1)));
    const later = await loggedElsewhere({ createdAt: past(2), sequence: 2 });
    const sameMoment = await loggedElsewhere({ createdAt: past(2), sequence: 1 });

    expect((await list('?order=asc')).body).toMatchObject({ events: [{ id: first }], hasMore: false });
    expect(idsOf(await list(`?order=asc&after=${first}`), 'events')).toEqual([]);
    await http.billing.relay('customers');
    await http.billing.quiet();
    const rest = await list(`?order=asc&limit=2&after=${first}`);
    const late = expect.objectContaining({ event: 'customer.created', createdAt: past(1).toISOString() });
    expect(rest.body).toMatchObject({ events: [late, { id: sameMoment }], hasMore: true });
    expect(idsOf(await list(`?order=asc&after=${sameMoment}`), 'events')).toEqual([later]);
    expect(idsOf(await list('?order=asc&event=customer.deleted'), 'events')).toEqual([first, sameMoment, later]);
    expect(idsOf(await list('?order=asc', merchant.liveKey), 'events')).toEqual([]);
    const csv = { key: merchant.key, headers: { Accept: 'text/csv' } };
    const page = await http.send('GET', `/v1/events?order=asc&limit=1&after=${first}&event=customer.deleted`, csv);
    expect(page.headers.get('link')).toContain(`&after=${sameMoment}&`);
  });

  it.each(['customer', 'payment', 'subscription'])(
    'ends before the oldest event of a %s that is not stored',
    async (kind) => {
      const before = await loggedElsewhere({ createdAt: past(0) });
      await loggedElsewhere({ createdAt: past(1) });
      await heldOpen(kind, past(5));
      await heldOpen(kind, past(1));
      expect(idsOf(await list('?order=asc'), 'events')).toEqual([before]);
    },
  );

  it('ends so long before the present that every decided event can be seen', async () => {
    const seen = await loggedElsewhere({ createdAt: new Date(http.now.getTime() - UNSEEN_MS - 1) });
    const young = await loggedElsewhere({ createdAt: new Date(http.now.getTime() - UNSEEN_MS) });
    expect(idsOf(await list('?order=asc'), 'events')).toEqual([seen]);
    const bound = encodeURIComponent(http.now.toISOString());
    expect(idsOf(await list(`?order=asc&created[lt]=${bound}`), 'events')).toEqual([seen]);
    http.later(1);
    expect(idsOf(await list('?order=asc'), 'events')).toEqual([seen, young]);
  });
});

describe('GET /events 400', () => {
  const MIXED = 'order asc takes after, order desc takes start, startingAfter, wait and known';

  it.each([
    ['?wait=26', 'wait must be between 0 and 25'],
    ['?wait=-1', 'wait must be between 0 and 25'],
    ['?wait=1.5', 'wait must be between 0 and 25'],
    ['?wait=', 'wait must be between 0 and 25'],
    [`?known=${'a,'.repeat(20)}`, 'known must be at most 20 ids'],
    ['?order=asc&after=evt_none', 'after must be the id of an event'],
    ['?after=evt_none', MIXED],
    ['?order=asc&start=0', MIXED],
    ['?order=asc&known=evt_none', MIXED],
    ['?order=asc&wait=1', MIXED],
    ['?event=customer.made', /^event must be one of customer\.created, .*payment\.refund_reversed$/],
  ])('refuses %s', async (query, message) => {
    expectError(await list(query), 400, typeof message === 'string' ? message : expect.stringMatching(message));
  });
});
