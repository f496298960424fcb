import { newId } from '../../../src/store/ids.ts';
import { until } from '../../../stage/until.ts';
import { expectError, idsOf, type Reply, useHttp, useMerchant } from '../../support/http.ts';
import { openReceiver, type Receiver } from '../../webhooks/receiver.ts';
import { emit, setWebhook, several } from '../../webhooks/world.ts';

let receiver: Receiver;
/** A first attempt is under way for as long as its receiver wants. */
const receivers = { firstAttempts: { most: 4_000, withinMs: 60_000 } };
const http = useHttp({ reachesLoopback: true, receivers });
const merchant = useMerchant(http);
beforeEach(async () => {
  receiver = await openReceiver();
  await setWebhook(http.store, merchant.id, { testUrl: receiver.url, secret: 'whsec_dGVzdA==' });
});
afterEach(() => receiver.close());
afterAll(() => http.stop());

/** An event after its first attempt. */
async function reported(): Promise<{ readonly id: string; readonly resourceId: string }> {
  const { _id: resourceId } = await emit(http.billing, merchant.id);
  await http.billing.quiet();
  const [id = ''] = (await http.store.records.find('events', { where: { resourceId }, limit: 1 })).map(
    ({ _id }) => _id,
  );
  return { id, resourceId };
}

function read(id: string): Promise<Reply> {
  return merchant.get(`/events/${id}`);
}

function redeliver(id: string): Promise<Reply> {
  return merchant.post(`/events/${id}/redeliver`);
}

async function later(minutes: number): Promise<void> {
  http.later(minutes * 60_000);
  await http.billing.webhooks.dispatchDue();
  await http.billing.quiet();
}

function answers(status: number, body = ''): void {
  receiver.reply = (response) => void response.writeHead(status).end(body);
}

describe('GET /events/{eventId} 200', () => {
  it('shows the event, its status, and every attempt with its answer', async () => {
    answers(503, `${'x'.repeat(1_500)}`);
    const startedAt = http.now.toISOString();
    const { id, resourceId } = await reported();
    const failed = { status: 503, error: null, body: 'x'.repeat(1_024), durationMs: expect.any(Number) };
    const event = {
      id,
      resourceId,
      event: 'customer.created',
      isSandbox: true,
      sequence: 1,
      createdAt: expect.any(String),
    };
    expect((await read(id)).body).toEqual({
      ...event,
      data: { customerId: 'cust_1', wallets: [] },
      deliveries: [
        {
          id: expect.stringMatching(/^dlv_/),
          status: 'retrying',
          nextAttemptAt: new Date(http.now.getTime() + 60_000).toISOString(),
          attempts: [{ attempt: 1, startedAt, ...failed }],
          createdAt: expect.any(String),
        },
      ],
    });
    answers(204);
    await later(1);
    expect((await read(id)).body).toMatchObject({
      deliveries: [
        {
          status: 'delivered',
          nextAttemptAt: null,
          attempts: [{ status: 503 }, { attempt: 2, startedAt: http.now.toISOString(), status: 204, body: '' }],
        },
      ],
    });
  });

  it('shows the reason of a missing answer', async () => {
    receiver.reply = (response) => void response.destroy();
    const { id } = await reported();
    expect((await read(id)).body).toMatchObject({
      deliveries: [{ attempts: [{ status: null, error: 'Connection closed before the answer', body: null }] }],
    });
  });

  it('shows an event to its receiver during the first attempt, before the event is stored', async () => {
    const letGo = receiver.hold();
    const { _id: resourceId } = await emit(http.billing, merchant.id, { at: http.now });
    await receiver.got(1);
    const [posted] = receiver.received;
    if (!posted) throw new Error('nothing came');
    const { id, sequence, createdAt, data } = posted.envelope;
    expect(await http.store.records.get('events', [id])).toEqual([]);
    const event = { id, resourceId, event: 'customer.created', isSandbox: true, sequence, createdAt, data };
    expect(await read(id)).toMatchObject({ status: 200, body: { ...event, deliveries: [] } });
    const other = await http.merchant();
    expect((await http.call('GET', `/events/${id}`, { key: other.testKey })).status).toBe(404);
    const reply = await redeliver(id);
    expectError(reply, 409, 'Delivery is about to be made; redeliver needs retrying, delivered, failed or no_endpoint');
    letGo();
    await http.billing.quiet();
    expect((await read(id)).body).toMatchObject({ ...event, deliveries: [{ status: 'delivered' }] });
  });
});

describe('GET /events?order=asc 200', () => {
  it('ends before an event whose first attempt is under way, although a later one is stored', async () => {
    let answer = (): void => {};
    receiver.reply = (response) => {
      if (receiver.received.length === 1) answer = () => void response.end();
      else response.end();
    };
    const data = { customerId: newId('cust', http.now) };
    const events = [{ event: 'customer.deleted', data }] as const;
    await emit(http.billing, merchant.id, { events, at: http.now });
    await receiver.got(1);
    await emit(http.billing, merchant.id, { events, at: new Date(http.now.getTime() + 1) });
    await until(
      'the later one is stored',
      () => http.store.records.count('events', { merchantId: merchant.id }),
      (n) => n === 1,
    );
    http.later(60_000);
    const list = async () => idsOf(await merchant.get('/events?order=asc'), 'events');
    expect(await list()).toEqual([]);
    answer();
    await http.billing.quiet();
    expect(await list()).toEqual(receiver.received.map(({ envelope }) => envelope.id));
  });
});

describe('POST /events/{eventId}/redeliver 202', () => {
  it('delivers the event again under the same id with a new signature, and adds the attempt', async () => {
    const { id } = await reported();
    http.later(5_000);
    const { status, body } = await redeliver(id);
    expect([status, body]).toEqual([202, expect.objectContaining({ id, deliveries: [expect.anything()] })]);
    await http.billing.quiet();
    expect(receiver.received.map(({ envelope }) => envelope.id)).toEqual([id, id]);
    const [first, second] = receiver.received.map(({ rawBody, headers }) => [
      rawBody.toString(),
      headers['x-service-timestamp'],
    ]);
    expect(second?.[0]).toBe(first?.[0]);
    expect(Number(second?.[1])).toBe(Number(first?.[1]) + 5);
    expect((await read(id)).body).toMatchObject({
      deliveries: [{ status: 'delivered', attempts: [{ attempt: 1 }, { attempt: 2 }] }],
    });
  });

  it('delivers a failed event again with six new attempts', async () => {
    answers(500);
    const { id } = await reported();
    for (const minutes of [1, 5, 30, 120, 360]) await later(minutes);
    expect((await read(id)).body).toMatchObject({ deliveries: [{ status: 'failed', nextAttemptAt: null }] });
    expect((await redeliver(id)).status).toBe(202);
    await http.billing.quiet();
    expect((await read(id)).body).toMatchObject({ deliveries: [{ status: 'retrying' }] });
    answers(200);
    await later(1);
    expect(receiver.received).toHaveLength(8);
    expect((await read(id)).body).toMatchObject({ deliveries: [{ status: 'delivered' }] });
  });

  it('delivers an event that had no endpoint to the URL that is set now', async () => {
    await setWebhook(http.store, merchant.id, { testUrl: '' });
    const { id } = await reported();
    expect((await read(id)).body).toMatchObject({ deliveries: [{ status: 'no_endpoint' }] });
    await setWebhook(http.store, merchant.id, { testUrl: receiver.url });
    expect((await redeliver(id)).status).toBe(202);
    await http.billing.quiet();
    expect(receiver.received.map(({ envelope }) => envelope.id)).toEqual([id]);
  });

  it('makes the next attempt of a retried event now, and not again at its time', async () => {
    answers(500);
    const { id } = await reported();
    answers(200);
    expect((await redeliver(id)).status).toBe(202);
    await http.billing.quiet();
    await later(1);
    expect(receiver.received).toHaveLength(2);
  });

  it('does not send later events again', async () => {
    await emit(http.billing, merchant.id, { events: several(3) });
    await http.billing.quiet();
    const [first] = receiver.received;
    await redeliver(first?.envelope.id ?? '');
    await http.billing.quiet();
    expect(receiver.received.map(({ envelope }) => envelope.sequence)).toEqual([1, 2, 3, 1]);
  });
});

describe('POST /events/{eventId}/redeliver 409', () => {
  it('answers while an attempt is under way', async () => {
    const { id } = await reported();
    const letGo = receiver.hold();
    expect((await redeliver(id)).status).toBe(202);
    await receiver.got(2);
    const reply = await redeliver(id);
    expectError(reply, 409, 'Delivery is sending; redeliver needs retrying, delivered, failed or no_endpoint');
    letGo();
    await http.billing.quiet();
  });

  it('answers while no URL is set', async () => {
    const { id } = await reported();
    await setWebhook(http.store, merchant.id, { testUrl: '' });
    expectError(await redeliver(id), 409, 'There is no webhook URL to deliver to; redeliver needs one to be set first');
  });
});
