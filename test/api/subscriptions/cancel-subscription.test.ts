import { z } from 'zod';
import type { Reply } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();

function cancel(id: string, body?: unknown): Promise<Reply> {
  return merchant.call('POST', `/subscriptions/${id}/cancel`, body);
}

async function customerOf(id: string): Promise<string> {
  return z.object({ customerId: z.string() }).parse((await merchant.get(`/subscriptions/${id}`)).body).customerId;
}

describe('POST /subscriptions/{subscriptionId}/cancel 200', () => {
  it.each([
    ['no body', undefined],
    ['an empty one', {}],
    ['atPeriodEnd null', { atPeriodEnd: null }],
  ])('cancels now with %s', async (_what, body) => {
    const id = await merchant.subscribeAndPay();
    expect(await cancel(id, body)).toMatchObject({ status: 200, body: { id, status: 'canceled', cancelAt: null } });
  });

  it('cancels at the end of the period with atPeriodEnd', async () => {
    const id = await merchant.subscribeAndPay();
    const { status, body } = await cancel(id, { atPeriodEnd: true });
    expect([status, body]).toEqual([200, expect.objectContaining({ id, status: 'active' })]);
    expect(Reflect.get(Object(body), 'cancelAt')).toBe(Reflect.get(Object(body), 'currentPeriodEnd'));
    expect(body).toMatchObject({ canceledBy: 'merchant', canceledAt: null });
  });

  it.each([
    ['merchant', (id: string) => cancel(id)],
    ['merchant', async (id: string) => merchant.delete(`/customers/${await customerOf(id)}`)],
    ['service', (id: string) => merchant.failCharge(id, 'insufficient_balance')],
  ])('is shown with its moment and as by the %s', async (canceledBy, ends) => {
    const id = await merchant.subscribe({}, { maxFailedCycles: 1 });
    await ends(id);
    await merchant.billing.quiet();
    const ended = { status: 'canceled', canceledBy, canceledAt: merchant.http.now.toISOString() };
    expect((await merchant.get(`/subscriptions/${id}`)).body).toMatchObject(ended);
  });
});

describe('POST /subscriptions/{subscriptionId}/cancel 409', () => {
  const refused = {
    status: 409,
    body: { error: 'Subscription is canceled; cancel needs pending, active or past_due' },
  };

  it('cancels once when two requests arrive at the same time', async () => {
    const path = `/subscriptions/${await merchant.subscribe()}/cancel`;
    const replies = await Promise.all([merchant.post(path), merchant.post(path)]);
    replies.sort((a, b) => a.status - b.status);
    expect(replies).toMatchObject([{ status: 200, body: { status: 'canceled' } }, refused]);
  });
});

describe('DELETE /subscriptions/{subscriptionId}', () => {
  it('cancels now and once, ignores atPeriodEnd, and names it', async () => {
    const id = await merchant.subscribeAndPay();
    const reply = await merchant.delete(`/subscriptions/${id}`, { atPeriodEnd: true });
    expect([reply.status, reply.headers.get('x-ignored-fields')]).toEqual([200, 'atPeriodEnd']);
    expect(reply.body).toMatchObject({ id, status: 'canceled', cancelAt: null });
    expect(await merchant.delete(`/subscriptions/${id}`)).toMatchObject({ status: 409 });
  });
});
