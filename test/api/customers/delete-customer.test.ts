import type { FaultHook } from '../../../src/engine/faults.ts';
import { journalOf } from '../../../src/engine/journal.ts';
import { setQuarantine } from '../../../src/engine/quarantine.ts';
import { partitionOf } from '../../../src/store/ids.ts';
import { insertActors } from '../../store/support/documents.ts';
import { ALICE, offerBody } from '../../support/bodies.ts';
import { expectError, idOf, idsOf, priceIdOf, type Reply, startHttp, useMerchant } from '../../support/http.ts';

let onEffect: FaultHook = async () => {};
let id: string;
const http = await startHttp({ fault: (point, detail) => onEffect(point, detail) });
const merchant = useMerchant(http);
const { billing } = http;

const WALLET = { chainFamily: 'evm', address: ALICE };
const BODY = {
  wallets: [WALLET],
  merchantReferenceId: 'user-7',
  email: 'a@example.com',
  phone: '+49 30 1',
  name: 'Ada',
  idempotencyKey: 'k',
};

beforeEach(async () => {
  onEffect = async () => {};
  id = idOf(await merchant.post('/customers', BODY));
});

function remove(): Promise<Reply> {
  return merchant.delete(`/customers/${id}`);
}

async function priceOf(): Promise<string> {
  const offer = await merchant.post('/offers', offerBody());
  return priceIdOf(offer);
}

async function subscribe(priceId: string, customerId = id): Promise<string> {
  return idOf(await merchant.post('/subscriptions', { customerId, priceId }));
}

async function statusOf(subscriptionId: string): Promise<unknown> {
  const [doc] = await http.store.actors.load('subscription', [subscriptionId]);
  return doc?.status;
}

async function emittedBy(resourceId: string) {
  return (await billing.eventsOf(resourceId)).map(({ event, data }) => [event, data]);
}

describe('DELETE /customers/{customerId} 200', () => {
  it('deletes the customer for good', async () => {
    const { status, body } = await remove();
    expect([status, body]).toEqual([200, { id, deleted: true }]);
    expect((await merchant.get(`/customers/${id}`)).status).toBe(404);
    expect(idsOf(await merchant.get('/customers'), 'customers')).toEqual([]);
    expect(idsOf(await merchant.get(`/customers?walletAddress=${ALICE}`), 'customers')).toEqual([]);
    const subscription = { customerId: id, priceId: await priceOf() };
    expect((await merchant.post('/subscriptions', subscription)).status).toBe(404);
  });

  it('sends one event with only the id, and answers a second deletion with 404', async () => {
    await remove();
    expectError(await remove(), 404, 'Not found');
    await billing.quiet();
    expect(await emittedBy(id)).toEqual([
      ['customer.created', { customerId: id, wallets: [WALLET] }],
      ['customer.deleted', { customerId: id }],
    ]);
  });

  it('frees the wallet for another customer', async () => {
    await remove();
    const { status } = await merchant.post('/customers', { wallets: [WALLET] });
    expect(status).toBe(201);
  });

  it('keeps the key used: a replay shows the customer as last stored, without personal data', async () => {
    await remove();
    const replay = await merchant.post('/customers', BODY);
    expect([replay.status, idOf(replay)]).toEqual([200, id]);
    expect(replay.body).toMatchObject({
      wallets: [],
      email: null,
      phone: null,
      name: null,
      merchantReferenceId: 'user-7',
      idempotencyKey: 'k',
    });
  });

  it('cancels every live subscription before it answers, with one event each and without a reason', async () => {
    const priceId = await priceOf();
    const mine = [await subscribe(priceId), await subscribe(priceId), await subscribe(priceId)];
    const stranger = idOf(await merchant.post('/customers', {}));
    const theirs = await subscribe(priceId, stranger);
    await merchant.post(`/subscriptions/${mine[2]}/cancel`, {});
    await remove();
    expect(await Promise.all(mine.map(statusOf))).toEqual(['canceled', 'canceled', 'canceled']);
    expect(await statusOf(theirs)).toBe('pending');
    await billing.quiet();
    for (const subscription of mine) {
      const reported = (await emittedBy(subscription)).filter(([event]) => event === 'subscription.canceled');
      expect(reported).toEqual([
        ['subscription.canceled', { subscriptionId: subscription, offerId: expect.any(String), priceId }],
      ]);
    }
    const [doc] = await http.store.actors.load('subscription', mine.slice(0, 1));
    const journaled = (doc ? await journalOf(http.store, doc) : []).filter(
      ({ event }) => event.type === 'cancel.requested',
    );
    expect(journaled).toMatchObject([
      { event: { reason: 'customer_deleted', atPeriodEnd: false }, by: `customer:${id}` },
    ]);
  });

  it('cancels more subscriptions than one read returns', async () => {
    const priceId = await priceOf();
    const one = await subscribe(priceId);
    await billing.quiet();
    const [doc] = await http.store.actors.load('subscription', [one]);
    if (doc === undefined) throw new Error(`${one} is not stored`);
    const ids = Array.from({ length: 600 }, (_, index) => `${one.slice(0, -3)}${String(index).padStart(3, '0')}`);
    const others = ids.filter((_id) => _id !== one);
    const copies = others.map((_id) => ({ ...doc, _id, partition: partitionOf(_id) }));
    await insertActors(http.store, copies);
    await remove();
    const where = { 'attributes.customerId': id, status: 'pending' };
    expect(await http.store.actors.count('subscription', where)).toBe(0);
    expect(await http.store.actors.count('subscription', { ...where, status: 'canceled' })).toBe(copies.length + 1);
  });

  it('keeps the payments', async () => {
    billing.engine.interrupt();
    const body = { toWallet: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', fromWallet: ALICE, amount: '1' };
    const sent = { ...body, tokenKey: 'usdc-local-evm', idempotencyKey: 'p', customerId: id };
    const payment = idOf(await merchant.post('/payments', sent));
    await remove();
    expect((await merchant.get(`/payments/${payment}`)).body).toMatchObject({ customerId: id });
    expect(idsOf(await merchant.get(`/payments?customerId=${id}`), 'payments')).toEqual([payment]);
  });

  it('answers even if a cancellation has to wait, which then follows', async () => {
    const subscription = await subscribe(await priceOf());
    await billing.quiet();
    onEffect = async (point, detail) => {
      if (point === 'relay.effect.before' && detail === 'subscriptions.cancel') throw new Error('not now');
    };
    expect((await remove()).status).toBe(200);
    expect(await statusOf(subscription)).toBe('pending');
    onEffect = async () => {};
    http.later(5_000);
    await billing.relay('customers');
    expect(await statusOf(subscription)).toBe('canceled');
    expect((await emittedBy(id)).map(([event]) => event)).toEqual(['customer.created', 'customer.deleted']);
  });

  it('waits for a quarantined subscription, and cancels it after its release', async () => {
    const priceId = await priceOf();
    const [aside, other] = [await subscribe(priceId), await subscribe(priceId)];
    await billing.quiet();
    await billing.engine.quarantine('subscription', aside, 'a test');
    await remove();
    expect([await statusOf(aside), await statusOf(other)]).toEqual(['pending', 'canceled']);
    const { store } = http;
    const release = { kind: 'subscription', id: aside, quarantine: null, by: 'staff:test' } as const;
    await setQuarantine({ store, clock: () => http.now }, release);
    http.later(120_000);
    await billing.relay('customers');
    expect(await statusOf(aside)).toBe('canceled');
  });
});
