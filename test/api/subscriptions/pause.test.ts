import { addDays } from '../../../machines/rules/period.ts';
import { limitsOf } from '../../../src/billing/checkout/mandate.ts';
import { cyclePaymentId } from '../../../src/model/payment.ts';
import { monthly, offerBody } from '../../support/bodies.ts';
import { expectError } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();
await merchant.http.store.records.change('merchants', merchant.id, {}, { set: { limitFactor: 100 } });

/** Of the first period. */
const END = '2030-02-15T10:00:00.000Z';

const pause = (id: string, body: object = {}) => merchant.post(`/subscriptions/${id}/pause`, body);
const resume = (id: string) => merchant.post(`/subscriptions/${id}/resume`, {});
const advance = async (subscriptionId: string, how: object) =>
  Object((await merchant.post('/sandbox/advance', { subscriptionId, ...how })).body);
const read = async (id: string) => Object((await merchant.get(`/subscriptions/${id}`)).body);
const keeping = { pause: { periodEnd: 'keeps' } };

describe('POST /subscriptions/{subscriptionId}/pause', () => {
  it('lets nothing fall due until it is resumed, and the rest of the paid time follows', async () => {
    const id = await merchant.subscribeAndPay();
    const paused = { id, status: 'active', isPaused: true, pausedUntil: null, currentPeriodEnd: END };
    expect((await pause(id)).body).toMatchObject(paused);
    expect(await advance(id, { days: 100 })).toMatchObject({ complete: true, steps: [], status: 'active' });
    expect((await merchant.post('/sandbox/charge', { subscriptionId: id })).body).toMatchObject({
      outcome: 'skipped',
      reason: 'paused',
    });
    expectError(
      await merchant.post('/sandbox/advance', { subscriptionId: id, status: 'past_due' }),
      409,
      'Subscription is paused, and nothing falls due; resume it first, or advance it by days',
    );
    const resumed = { isPaused: false, currentPeriodEnd: addDays(END, 100) };
    expect((await resume(id)).body).toMatchObject(resumed);
    expect(await advance(id, { days: 17 })).toMatchObject({ steps: [] });
    const paymentId = await merchant.beginCharge(id);
    expect((await merchant.get(`/payments/${paymentId}`)).body).toMatchObject({ periodStart: addDays(END, 100) });
  });

  it('ends by itself, and a charge follows at once where the offer keeps an end that has passed', async () => {
    const id = await merchant.subscribeAndPay({}, {}, undefined, keeping);
    const until = addDays(END, 10);
    expect((await pause(id, { until })).body).toMatchObject({ isPaused: true, pausedUntil: until });
    merchant.later(50 * 86_400_000);
    for (const state of ['resumed', 'charged']) {
      await merchant.billing.engine.dispatchDue('subscription');
      await merchant.billing.quiet();
      expect([state, await read(id)]).toMatchObject([state, { isPaused: false, pausedUntil: null, status: 'active' }]);
    }
    const { body } = await merchant.get(`/payments/${cyclePaymentId(id, 2)}`);
    expect(body).toMatchObject({ periodStart: until });
  });

  it.each([
    ['2030-01-15T10:00:00.000Z', "until must be in the future: this subscription's clock shows "],
    ['2032-01-15T10:00:00.000Z', 'until must be within 366 days; leave it out to pause without an end'],
  ])('refuses the end %s', async (until, message) => {
    const id = await merchant.subscribeAndPay();
    expectError(await pause(id, { until }), 400, expect.stringContaining(message));
  });

  it('refuses in words what cannot be paused', async () => {
    const first = await merchant.subscribe();
    const unpaid = 'Subscription has not been paid yet; a pause needs a paid period to be running';
    expectError(await pause(first), 409, unpaid);
    const id = await merchant.subscribeAndPay();
    await merchant.failCharge(id, 'insufficient_balance');
    const unsettled = 'Subscription has a charge that is in flight or unpaid; a pause needs it to be paid first';
    expectError(await pause(id), 409, unsettled);
    await merchant.post(`/subscriptions/${id}/cancel`, {});
    const canceled = 'Subscription is canceled; pause needs active, paid and without an open charge';
    expectError(await pause(id), 409, canceled);
  });

  it('lets no change begin at once, and a payer who signs meanwhile signs a start before any charge', async () => {
    const pricing = [monthly(), monthly({ amount: '30.00' })];
    const id = await merchant.subscribeAndPay({}, {}, undefined, { pricing });
    const { currentPeriodEnd } = await read(id);
    await pause(id, { until: addDays(currentPeriodEnd, 60) });
    const offer = Object(
      (await merchant.get(`/offers/${(await merchant.subscription(id)).attributes['offerId']}`)).body,
    );
    expectError(
      await merchant.post(`/subscriptions/${id}/migrate`, { priceId: offer.pricing[1].id, when: 'now' }),
      400,
      'This subscription is paused; a change needs it to be resumed first',
    );
    const doc = await merchant.subscription(id);
    const { rhythm } = limitsOf(doc, 'charge', merchant.http.now);
    expect(rhythm).toMatchObject({ startsAt: new Date(currentPeriodEnd) });
  });
});

it('what an offer says about pauses is in its answer, and can be changed and taken back', async () => {
  const made = Object((await merchant.post('/offers', offerBody({ pause: { byCustomer: true } }))).body);
  expect(made.pause).toEqual({ byCustomer: true, periodEnd: 'moves' });
  const changed = (body: object) => merchant.call('PATCH', `/offers/${made.id}`, body);
  expect((await changed({ pause: { periodEnd: 'keeps' } })).body).toMatchObject({
    pause: { byCustomer: false, periodEnd: 'keeps' },
  });
  expect((await changed({ pause: null })).body).toMatchObject({ pause: null });
});
