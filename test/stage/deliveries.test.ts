import { createHmac } from 'node:crypto';
import { expectDeliveries } from '../../stage/deliveries.ts';
import { Expectations } from '../../stage/expectations.ts';
import { type Receiver, startReceiver } from '../../stage/receiver.ts';

const SECRET = 'whsec_of-a-test';
const AWAITED = { sub_1: ['subscription.created', 'subscription.canceled'], cust_1: ['customer.created'] };

let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
  receiver.setSecret(SECRET, 'test');
});

afterEach(() => receiver.close());

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly sequence: number;
  readonly isSandbox?: boolean;
  readonly data: object;
}

const created: Delivery = {
  id: 'evt_1',
  event: 'subscription.created',
  sequence: 1,
  data: { subscriptionId: 'sub_1' },
};
const canceled: Delivery = {
  id: 'evt_2',
  event: 'subscription.canceled',
  sequence: 2,
  data: { subscriptionId: 'sub_1' },
};
const customer: Delivery = { id: 'evt_3', event: 'customer.created', sequence: 1, data: { customerId: 'cust_1' } };

async function deliver(delivery: Delivery, how: { secret?: string; agoSeconds?: number } = {}): Promise<number> {
  const body = JSON.stringify({ createdAt: new Date().toISOString(), isSandbox: true, ...delivery });
  const timestamp = String(Math.floor(Date.now() / 1_000) - (how.agoSeconds ?? 0));
  const signature = createHmac('sha256', how.secret ?? SECRET)
    .update(`${timestamp}.${body}`)
    .digest('hex');
  const headers = { 'X-Service-Timestamp': timestamp, 'X-Service-Signature-Mode': signature };
  return (await fetch(receiver.url, { method: 'POST', body, headers })).status;
}

const check = () => expectDeliveries(receiver, AWAITED, new Expectations());

describe('the webhook receiver', () => {
  it('accepts signed deliveries, and finds all of them', async () => {
    for (const each of [created, customer, canceled]) expect(await deliver(each)).toBe(204);
    expect(check).not.toThrow();
  });

  it('finds a signature made with another secret', async () => {
    expect(await deliver(created, { secret: 'whsec_other' })).toBe(400);
    expect(receiver.accepted).toEqual([]);
    expect(check).toThrow('Every webhook is signed with the secret');
  });

  it('finds an event of the other mode', async () => {
    expect(await deliver({ ...created, isSandbox: false })).toBe(400);
    expect(receiver.refused).toEqual(['it is of the other mode']);
  });

  it('finds an old delivery that is replayed', async () => {
    expect(await deliver(created, { agoSeconds: 3_600 })).toBe(400);
    expect(check).toThrow('Every webhook is signed with the secret');
  });

  it('finds a repeated event', async () => {
    for (const each of [created, canceled, customer, canceled]) await deliver(each);
    expect(check).toThrow('No webhook arrives twice');
  });

  it.each([
    ['is missing', [created, customer]],
    ['comes in another order than its sequence', [canceled, created, customer]],
    ['was not awaited', [created, canceled, customer, { ...customer, id: 'evt_4', sequence: 2 }]],
  ])('finds an event that %s', async (_, deliveries) => {
    for (const each of deliveries) await deliver(each);
    expect(check).toThrow('Exactly the expected webhooks arrive, in the order of their sequence');
  });

  it('resolves waiting calls with the event, even if it arrived before', async () => {
    const later = receiver.until('the end', ({ event }) => event === 'subscription.canceled');
    await deliver(created);
    await deliver(canceled);
    expect((await later).id).toBe('evt_2');
    expect((await receiver.until('the beginning', ({ sequence }) => sequence === 1)).id).toBe('evt_1');
  });

  it('rejects waiting calls with the received events when it is closed', async () => {
    const never = receiver.until('that never comes', () => false);
    await deliver(created);
    await Promise.all([expect(never).rejects.toThrow('What came: subscription.created'), receiver.close()]);
  });
});
