import { setArchivedBefore } from '../../../src/billing/events/archived.ts';
import { lastChargeFrom } from '../../../src/billing/subscriptions/readiness.ts';
import { recordUsage } from '../../../src/billing/subscriptions/usage.ts';
import { cyclePaymentId } from '../../../src/model/payment.ts';
import { subscriptionContextOf } from '../../../src/model/subscription.ts';
import { monthly, offerBody } from '../../support/bodies.ts';
import { expectError, type Reply } from '../../support/http.ts';
import { mandateDoc } from '../../support/mandate-doc.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();
await merchant.http.store.records.change('merchants', merchant.id, {}, { set: { limitFactor: 100 } });

const DAY = 24 * 3_600_000;
/** Ten calls a month are free, then each costs a cent, from the 110th on half a cent; two dollars at most. */
const CALLS = {
  amount: '0.01',
  model: 'metered',
  includedUnits: 10,
  tiers: [{ above: 110, amount: '0.005' }],
  capAmount: '2.00',
};

/** Charged from 1.50 on, and at most 3.00 in any 30 days. */
const EARLY = { thresholdAmount: '1.50', windowCapAmount: '3.00' };

const byUse = (change: object = {}) => merchant.subscribe({}, { ...CALLS, ...change });
const use = (id: string, body: object) => merchant.post(`/subscriptions/${id}/usage`, body);
const usage = async (id: string) => (await merchant.get(`/subscriptions/${id}/usage`)).body;
let keys = 0;
const count = async (id: string, quantity: number) => {
  keys += 1;
  const idempotencyKey = `run ${keys}`;
  expect(await use(id, { quantity, idempotencyKey })).toMatchObject({ status: 201 });
};

describe('a metered price', () => {
  const options = (change: object) =>
    merchant.post('/offers', offerBody({ pricing: [monthly({ ...CALLS, ...change })] }));

  it('is shown as it was sent, and with the unit price of each token', async () => {
    const { body } = await options({ aboveCap: 'refuse' });
    const [option] = Object(body).pricing;
    expect(option).toMatchObject({ ...CALLS, aboveCap: 'refuse', minQuantity: null, maxQuantity: null });
    expect(option.acceptedTokens).toMatchObject([{ amountBaseUnits: '10000' }]);
  });

  it('converts its unit price, tiers and cap by one rate, rounded up', async () => {
    const { body } = await options({ currency: 'EUR', amount: '0.1' });
    const [offer] = await merchant.http.store.records.get('offers', [Object(body).id]);
    const [{ metered, amountBaseUnits } = { amountBaseUnits: '' }] = offer?.pricing[0]?.acceptedTokens ?? [];
    expect(metered?.tiers.map(({ above }) => above)).toEqual([0, 10, 110]);
    expect(metered?.tiers[1]?.unitAmount).toBe(amountBaseUnits);
    expect(BigInt(metered?.capAmount ?? 0) / 20n).toBe(BigInt(amountBaseUnits));
  });

  it('shows its threshold and the cap of 30 days, and neither where it has none', async () => {
    const [early] = Object((await options(EARLY)).body).pricing;
    expect(early).toMatchObject(EARLY);
    const [plain] = Object((await options({})).body).pricing;
    expect(plain).toMatchObject({ thresholdAmount: null, windowCapAmount: null });
  });

  const LEAST = 'the least price of one unit in this token';
  it.each<[object, string]>([
    [{ capAmount: undefined }, 'pricing[0].capAmount is required for the model metered'],
    [{ capAmount: '0.99' }, 'pricing[0].capAmount must be at least 1.00 USD or equivalent in the chosen currency'],
    [{ amount: '2.01' }, 'pricing[0].capAmount must be at least amount, the price of one unit'],
    [{ amount: '0' }, 'pricing[0].amount must be more than 0'],
    [{ amount: '0.0000001' }, `pricing[0].amount must be a multiple of 0.000001 USDC, ${LEAST}`],
    [{ amount: '0.000001', currency: 'EUR' }, `pricing[0].amount must be worth at least 0.0001 USDC, ${LEAST}`],
    [
      { tiers: [{ above: 110, amount: '0.0000005' }] },
      `pricing[0].tiers[0].amount must be a multiple of 0.000001 USDC, ${LEAST}`,
    ],
    [{ tiers: [{ above: 10, amount: '0.5' }] }, 'pricing[0].tiers[0].above must be more than 10, in ascending order'],
    [
      { trialDays: 7 },
      'pricing[0].trialDays is not for the model metered: its first charge comes after the first period',
    ],
    [{ maxQuantity: 5 }, 'pricing[0].maxQuantity is for the model per_unit only'],
    [{ model: 'fixed', amount: '9.90' }, 'pricing[0].includedUnits is for the model metered only'],
    [{ billing: { type: 'one_time' } }, 'pricing[0].model metered is for recurring billing only'],
    [{ thresholdAmount: '1.50' }, 'pricing[0].thresholdAmount and windowCapAmount come together'],
    [{ windowCapAmount: '2.00' }, 'pricing[0].thresholdAmount and windowCapAmount come together'],
    [{ ...EARLY, thresholdAmount: '2.01' }, 'pricing[0].thresholdAmount must be at most capAmount'],
    [{ ...EARLY, windowCapAmount: '1.99' }, 'pricing[0].windowCapAmount must be at least capAmount'],
    [
      { ...EARLY, thresholdAmount: '0.99' },
      'pricing[0].thresholdAmount must be at least 1.00 USD or equivalent in the chosen currency',
    ],
    [
      { ...EARLY, maxCycles: 3 },
      'pricing[0].maxCycles is not for a price with thresholdAmount: its charges have no fixed number',
    ],
  ])('refuses %j', async (change, message) => {
    expectError(await options(change), 400, message);
  });
});

describe('usage', () => {
  it('is counted for the present period, and charged when the next one begins', async () => {
    const id = await byUse();
    expect((await merchant.get(`/subscriptions/${id}`)).body).toMatchObject({
      ...{ status: 'pending', model: 'metered', quantity: null, isTrialing: true },
      trialEnd: new Date(Date.UTC(2030, 1, 15, 10)).toISOString(),
    });
    await count(id, 10);
    expect(await usage(id)).toMatchObject({ units: 10, amount: '0.00', level: 0, unitsLeft: 300 });
    await count(id, 110);
    expect(await usage(id)).toMatchObject({
      ...{ units: 120, amount: '1.05', carriedAmount: '0.00', chargeAmount: '1.05', capAmount: '2.00' },
      ...{ level: 52, unitsLeft: 190 },
    });
    await merchant.settleCharge(id);
    await count(id, 110);
    await merchant.settleCharge(id);
    const payments = await Promise.all([1, 2].map((cycle) => merchant.get(`/payments/${cyclePaymentId(id, cycle)}`)));
    expect(payments.map(({ body }) => body)).toMatchObject([
      { amount: '1.05', status: 'settled', usage: { units: 120 }, quantity: null },
      { amount: '1.00', status: 'settled', usage: { units: 110 } },
    ]);
    expect(await usage(id)).toMatchObject({ units: 0, chargeAmount: '0.00' });
  });

  it('is counted once for each key, however often it is sent, and in a batch with what is new', async () => {
    const id = await byUse();
    const record = { quantity: 7, idempotencyKey: 'a run' };
    const first = await use(id, record);
    expect(first).toMatchObject({ status: 201, body: { subscriptionId: id, records: [record] } });
    merchant.later(1_000);
    expect(await use(id, record)).toMatchObject({ status: 200, body: first.body });
    const other = await use(id, { ...record, quantity: 8 });
    expect([other.status, other.headers.get('idempotency-mismatch')]).toEqual([200, 'true']);
    const batch = { records: [{ ...record }, { quantity: 2, idempotencyKey: 'another' }] };
    expect(await use(id, batch)).toMatchObject({ status: 201, body: { records: [{ quantity: 7 }, { quantity: 2 }] } });
    expect(await usage(id)).toMatchObject({ units: 9 });
    await merchant.post(`/subscriptions/${id}/cancel`);
    expect(await use(id, record)).toMatchObject({ status: 200, body: first.body });
  });

  it('of many calls at once makes few rows, and loses none', async () => {
    const id = await byUse();
    const { deps, store } = merchant.http;
    const at = null;
    const counted = Array.from({ length: 40 }, (_, index) =>
      recordUsage(deps, { merchantId: merchant.id, mode: 'test' }, id, [{ key: `call ${index}`, quantity: 3, at }]),
    );
    await Promise.all(counted);
    const rows = await store.records.find('usage', { where: { subscriptionId: id }, limit: 100 });
    expect(rows).toHaveLength(1);
    expect(rows.reduce((sum, row) => sum + row.records.length, 0)).toBe(40);
    expect(await usage(id)).toMatchObject({ units: 120 });
  });

  const began = '2030-01-15T10:00:00.000Z';
  it.each<[object, string]>([
    [{ quantity: 0 }, 'quantity must be an integer between 1 and 1000000000000'],
    [{ idempotencyKey: null }, 'idempotencyKey is required'],
    [{ quantity: null }, 'quantity is required'],
    [{ records: [] }, 'records must have at least one record'],
    [
      { records: [{ quantity: 1, idempotencyKey: 'b' }] },
      'records takes the place of quantity, at and idempotencyKey; send one or the other',
    ],
  ])('refuses %j', async (change, message) => {
    const id = await byUse();
    expectError(await use(id, { quantity: 1, idempotencyKey: 'a', ...change }), 400, message);
  });

  it('is refused for a moment that cannot be, by the clock of the subscription', async () => {
    const id = await byUse();
    const at = (ms: number) => new Date(merchant.http.now.getTime() + ms).toISOString();
    const sent = (moment: string) => use(id, { quantity: 1, at: moment, idempotencyKey: moment });
    expect(await sent(at(300_000))).toMatchObject({ status: 201 });
    const clock = merchant.http.now.toISOString();
    expectError(
      await sent(at(300_001)),
      400,
      `at must be at most 5 minutes ahead of this subscription's clock, which shows ${clock}`,
    );
    const start = Object(await usage(id)).from;
    expectError(await sent('2029-12-31T00:00:00.000Z'), 400, `at must not be before the subscription began, ${start}`);
    expect(start >= began).toBe(true);
    await merchant.post('/sandbox/advance', { subscriptionId: id, days: 3 });
    expect(await sent(at(3 * DAY))).toMatchObject({ status: 201 });
    const keyed = [1, 2].map(() => ({ quantity: 1, idempotencyKey: 'twice' }));
    expectError(await use(id, { records: keyed }), 400, 'records[1].idempotencyKey repeats "twice"');
  });

  it('is for live subscriptions with such a price, and not once the last cycle was charged', async () => {
    const fixed = await merchant.subscribe();
    const other = 'usage is for a metered price, and the price of this subscription is not';
    expectError(await use(fixed, { quantity: 1, idempotencyKey: 'a' }), 409, other);
    expectError(await merchant.get(`/subscriptions/${fixed}/usage`), 409, other);
    const last = await byUse({ maxCycles: 1 });
    await count(last, 120);
    await merchant.beginCharge(last);
    const charged = 'The last cycle of this subscription has been charged; further usage would not be';
    expectError(await use(last, { quantity: 1, idempotencyKey: 'a' }), 409, charged);
    const ended = await byUse();
    await merchant.post(`/subscriptions/${ended}/cancel`);
    const needs = 'Subscription is canceled; usage needs pending, active or past_due';
    expectError(await use(ended, { quantity: 1, idempotencyKey: 'a' }), 409, needs);
  });

  it('above the cap is refused as a whole where the price says so, with what is left', async () => {
    const id = await byUse({ aboveCap: 'refuse' });
    await count(id, 300);
    const { to } = Object(await usage(id));
    const message = `The cap of this period leaves 10 more units, and 11 were to be counted; the next period begins at ${to}`;
    expectError(await use(id, { quantity: 11, idempotencyKey: 'too many' }), 409, message);
    await count(id, 10);
    expect(await usage(id)).toMatchObject({ units: 310, level: 100, chargeAmount: '2.00', unitsLeft: 0 });
  });

  it('is charged as soon as it costs the threshold, and waits while 30 days have had the most', async () => {
    const id = await byUse(EARLY);
    const due = async () => subscriptionContextOf(await merchant.subscription(id)).usage?.thresholdDueAt;
    await count(id, 209);
    expect(await due()).toBeUndefined();
    await count(id, 1);
    expect(await due()).toBeDefined();
    await merchant.settleCharge(id);
    const nothing = { units: 0, chargeAmount: '0.00', thresholdAmount: '1.50', waitsUntil: null };
    expect(await usage(id)).toMatchObject(nothing);
    // The tiers are those of the whole period: each further unit costs 0.005.
    await count(id, 320);
    const waiting = { amount: '1.60', chargeAmount: '1.60', waitsUntil: expect.stringMatching(/^2030-02-1/) };
    expect(await usage(id)).toMatchObject(waiting);
    const { body } = await merchant.post('/sandbox/charge', { subscriptionId: id });
    expect(body).toEqual({ outcome: 'skipped', reason: 'window_cap' });
  });

  it('tells the merchant of 80 and 100 percent of the cap once in each period', async () => {
    await merchant.patch('/webhooks/endpoint', { extraEvents: true });
    const id = await byUse();
    const levels = async () =>
      (await merchant.billing.eventsOf(id)).flatMap(({ event, data }) =>
        event === 'subscription.usage_threshold' ? [data['level']] : [],
      );
    await count(id, 229);
    expect(await levels()).toEqual([]);
    await count(id, 1);
    await count(id, 1);
    expect(await levels()).toEqual([80]);
    await count(id, 400);
    expect(await levels()).toEqual([80, 100]);
    await merchant.settleCharge(id);
    await count(id, 1);
    expect(await levels()).toEqual([80, 100, 80]);
  });
});

describe('a subscription with a metered price', () => {
  const skipped = { outcome: 'skipped', reason: 'nothing_to_charge' };
  const charge = (subscriptionId: string): Promise<Reply> => merchant.post('/sandbox/charge', { subscriptionId });

  it('passes empty periods without a payment, and ends after its last cycle', async () => {
    const id = await byUse({ maxCycles: 2 });
    expect((await charge(id)).body).toEqual(skipped);
    const advance = (body: object) => merchant.post('/sandbox/advance', { subscriptionId: id, ...body });
    expect((await advance({ days: 40 })).body).toMatchObject({ complete: true, steps: [], status: 'pending' });
    const view = { status: 'pending', isTrialing: true, cyclesCompleted: 1, lastInvoice: null };
    expect((await merchant.get(`/subscriptions/${id}`)).body).toMatchObject(view);
    const nothing = 'The next period of this subscription costs nothing; record usage, or let a free period pass first';
    expectError(await advance({ status: 'past_due' }), 409, nothing);
    expect((await advance({ days: 40 })).body).toMatchObject({ status: 'canceled' });
    expect((await merchant.get(`/payments?subscriptionId=${id}`)).body).toMatchObject({ payments: [] });
  });

  it('charges the last use with its end, with that of its customer nothing, and tells what nobody pays', async () => {
    const id = await byUse();
    const counted = await use(id, { quantity: 60, idempotencyKey: 'too little for a charge' });
    expect(counted.body).toMatchObject({ unchargedAmount: '0.50' });
    await count(id, 60);
    expect(await usage(id)).toMatchObject({ unchargedAmount: '0.00' });
    expect((await merchant.post(`/subscriptions/${id}/cancel`)).body).toMatchObject({ status: 'canceled' });
    await merchant.billing.quiet();
    const paymentId = cyclePaymentId(id, 1);
    await merchant.chain.charges.settle(paymentId);
    expect((await merchant.get(`/payments/${paymentId}`)).body).toMatchObject({ amount: '1.05', status: 'settled' });
    const view = { status: 'canceled', cyclesCompleted: 1 };
    expect((await merchant.get(`/subscriptions/${id}`)).body).toMatchObject(view);
    const other = await byUse();
    await count(other, 120);
    const { customerId } = Object((await merchant.get(`/subscriptions/${other}`)).body);
    await merchant.call('DELETE', `/customers/${customerId}`);
    await merchant.billing.quiet();
    expect((await merchant.get(`/payments?subscriptionId=${other}`)).body).toMatchObject({ payments: [] });
    expect(await usage(other)).toMatchObject({ to: null, chargeAmount: '1.05', unchargedAmount: '1.05' });
  });

  it('ends at once, and its last charge waits for the day that the mandate allows', async () => {
    const id = await byUse();
    await count(id, 120);
    const notBefore = new Date(merchant.http.now.getTime() + 20 * DAY).toISOString();
    const cancel = { type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' } as const;
    await merchant.send(id, { ...cancel, charge: { ready: true, used: 120 }, notBefore });
    const payment = async () => (await merchant.get(`/payments/${cyclePaymentId(id, 1)}`)).body;
    expect(await payment()).toMatchObject({ status: 'pending', amount: '1.05', nextAttemptAt: notBefore });
    const charges = () => merchant.http.store.records.count('charges', { paymentId: cyclePaymentId(id, 1) });
    merchant.later(19 * DAY);
    await merchant.billing.quiet();
    expect(await charges()).toBe(0);
    merchant.later(DAY);
    await merchant.send(cyclePaymentId(id, 1), { type: 'pause.over' });
    expect(await charges()).toBe(1);
    await merchant.chain.charges.settle(cyclePaymentId(id, 1));
    expect(await payment()).toMatchObject({ status: 'settled', nextAttemptAt: null });
  });

  it.each([
    ['of the first period', { months: 1 }, '2030-01-15T10:00:00.000Z', '2030-02-15T10:00:00.000Z'],
    ['of a later month', { months: 1 }, '2030-02-15T10:00:00.000Z', '2030-03-07T10:00:00.000Z'],
    ['of a later week', { interval: (7 * DAY) / 1_000 }, '2030-02-15T10:00:00.000Z', null],
    ['without a rhythm', { start: 0 }, '2030-01-15T10:00:00.000Z', null],
  ])('may be charged for the use %s from the day that its mandate allows', (_, rhythm, since, from) => {
    const signed = { start: Date.UTC(2030, 1, 15, 9) / 1_000, interval: 0, months: 0, ...rhythm };
    const usage = { anchor: since, since, billed: 0, carried: '0', told: 0 } as const;
    const now = new Date(Date.parse(since) + DAY);
    expect(lastChargeFrom({ usage }, mandateDoc(signed), now)).toBe(from);
  });

  it('knows no key of archived records any more, so it refuses older ones', async () => {
    const id = await byUse();
    merchant.later(90 * DAY);
    const { records } = merchant.http.store;
    const at = (days: number) => new Date(merchant.http.now.getTime() - days * DAY).toISOString();
    await setArchivedBefore(records, 'op_1', new Date(at(40)));
    const sent = (days: number) => use(id, { quantity: 1, at: at(days), idempotencyKey: `${days} days ago` });
    const older = `at must not be before ${at(40)}: older records are archived, and a key of them would count again`;
    expectError(await sent(41), 400, older);
    expect([await sent(39), await sent(1)]).toMatchObject([{ status: 201 }, { status: 201 }]);
    await setArchivedBefore(records, 'op_1', null);
  });

  it('is not moved to another price, nor from another one to it', async () => {
    const pricing = [monthly(CALLS), monthly({ amount: '8.00' })];
    const offer = await merchant.post('/offers', offerBody({ pricing }));
    const [metered, fixed] = Object(offer.body).pricing.map((option: object) => Object(option).id);
    const move = async (from: string, to: string) => {
      const customerId = Object((await merchant.post('/customers', {})).body).id;
      const made = await merchant.post('/subscriptions', { priceId: from, customerId });
      return merchant.post(`/subscriptions/${Object(made.body).id}/migrate`, { priceId: to });
    };
    const why =
      "is metered, and migrate takes no metered price; cancel at the period's end, which charges the last use, and make a new subscription";
    expectError(await move(metered, fixed), 400, `The present price ${why}`);
    expectError(await move(fixed, metered), 400, `The new price ${why}`);
    const customerId = Object((await merchant.post('/customers', {})).body).id;
    const counted = await merchant.post('/subscriptions', { priceId: metered, customerId, quantity: 3 });
    expectError(counted, 400, 'quantity is for a price per unit only, and this price is metered');
  });
});
