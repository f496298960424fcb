import { whatIfSchema } from '../../src/staff/wire.ts';
import { expectError } from '../support/http.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { adaAt } from './support/staff.ts';

const merchant = await MerchantOverHttp.open();
const ada = adaAt(merchant.http);

async function supposed(id: string, query = '') {
  const { status, body } = await ada.get(`/subscriptions/${id}/what-if${query}`);
  expect(status).toBe(200);
  return whatIfSchema.parse(body);
}

async function everythingOf(id: string): Promise<string> {
  const { store } = merchant.http;
  const [subscription, payments, journal, charges, events] = await Promise.all([
    merchant.subscription(id),
    store.actors.find('payment', { where: {}, sort: [['_id', 1]], limit: 1_000 }),
    store.records.find('log', { where: {}, sort: [['_id', 1]], limit: 1_000 }),
    store.records.find('charges', { where: {}, sort: [['_id', 1]], limit: 1_000 }),
    store.records.find('events', { where: {}, sort: [['_id', 1]], limit: 1_000 }),
  ]);
  return JSON.stringify({ subscription, payments, journal, charges, events });
}

describe('what if', () => {
  it('two months pass and every charge settles: two charges, and nothing has changed', async () => {
    const id = await merchant.subscribeAndPay();
    const before = await everythingOf(id);
    const { steps, end, until, stopped } = await supposed(id, '?months=2');
    expect(steps.filter(({ event }) => event === 'charge.settled').map(({ at }) => at.slice(0, 10))).toEqual([
      '2030-02-15',
      '2030-03-15',
    ]);
    expect(steps.flatMap(({ webhooks }) => webhooks)).toEqual(['payment.succeeded', 'payment.succeeded']);
    expect(end).toMatchObject({ status: 'active', state: 'active.waiting', now: until });
    expect(stopped).toBeNull();
    expect(await everythingOf(id)).toBe(before);
  });

  it('its wallet stays empty: tried on days 0, 1, 3, 5 and 7, and canceled', async () => {
    const id = await merchant.subscribeAndPay();
    const { steps, end, stopped } = await supposed(id, '?months=2&outcome=insufficient_balance');
    expect(steps.filter(({ event }) => event === 'charge.failed').map(({ at }) => at.slice(0, 10))).toEqual([
      '2030-02-15',
      '2030-02-16',
      '2030-02-18',
      '2030-02-20',
      '2030-02-22',
    ]);
    expect(steps.at(-1)?.webhooks).toEqual(['payment.failed', 'subscription.canceled']);
    expect(end).toMatchObject({ status: 'canceled', context: { ended: { reason: 'grace_expired' } } });
    expect(stopped).toBe('It has ended');
  });

  it('the second attempt succeeds: past due for a day', async () => {
    const id = await merchant.subscribeAndPay();
    const { steps, end } = await supposed(id, '?days=40&outcome=insufficient_allowance&failures=1');
    const charged = steps.filter(({ event }) => /^charge\.(failed|settled)$/.test(event));
    expect(charged.map(({ at, event, to }) => [at.slice(0, 10), event, to])).toEqual([
      ['2030-02-15', 'charge.failed', 'past_due.waiting'],
      ['2030-02-16', 'charge.settled', 'active.waiting'],
    ]);
    expect(end.status).toBe('active');
  });

  it('a charge is deferred: it is checked again and again, and nothing fails', async () => {
    const id = await merchant.subscribeAndPay();
    const { steps, end } = await supposed(id, '?days=35&outcome=no_payout_wallet');
    expect(steps.some(({ event }) => event === 'charge.failed')).toBe(false);
    expect(end).toMatchObject({ status: 'active', context: { deferred: { why: 'no_payout_wallet' } } });
  });

  it('nobody has authorized it: it waits, unless the payer is assumed to', async () => {
    const id = await merchant.subscribe({ wallets: [] });
    expect(await supposed(id)).toMatchObject({ steps: [], stopped: 'Nothing falls due: it waits for an event' });
    const trial = await merchant.subscribe({}, { trialDays: 14 });
    const { steps, end } = await supposed(trial, '?authorizes=true&days=20');
    expect(steps.map(({ event }) => event)).toContain('charge.settled');
    expect(end.status).toBe('active');
  });

  it.each([
    ['?months=2&days=3', 'months, days and to must not be combined'],
    ['?months=0', 'months must be between 1 and 26'],
    ['?days=801', 'days must be between 1 and 800'],
    ['?to=2020-01-01T00:00:00.000Z', 'to must be after 2030-01-15T10:00:00.000Z, which is now for this subscription'],
    ['?to=2039-01-01T00:00:00.000Z', 'to must be within 800 days'],
  ])('refuses %s', async (query, error) => {
    const id = await merchant.subscribe();
    expectError(await ada.get(`/subscriptions/${id}/what-if${query}`), 400, error);
  });
});
