import type { HDNodeWallet } from 'ethers';
import { addDays } from '../../machines/rules/period.ts';
import { openPortalSession } from '../../src/billing/portal/sessions.ts';
import { cyclePaymentId } from '../../src/model/payment.ts';
import { subscriptionContextOf } from '../../src/model/subscription.ts';
import { PLENTY } from '../../stage/scripted-chain.ts';
import { inTokens, units } from '../../stage/tokens.ts';
import { CheckoutOverHttp, linkTokenIn, type OnSale } from '../checkout/support/checkout.ts';
import { monthly } from '../support/bodies.ts';
import { expectError, type Reply } from '../support/http.ts';

const checkout = await CheckoutOverHttp.start();
const DAY_MS = 86_400_000;

beforeEach(() => {
  checkout.chain.state = PLENTY;
});

interface Member extends OnSale {
  readonly id: string;
  readonly payer: HDNodeWallet;
  /** The prices of 10, 30 and 4 dollars a month, and of 300 a year. */
  readonly prices: readonly string[];
  readonly portal: (path: string, body?: object) => Promise<Reply>;
}

const PRICES = [
  monthly({ amount: '10.00', label: 'Basic' }),
  monthly({ amount: '30.00' }),
  monthly({ amount: '4.00' }),
  monthly({ amount: '300.00', billing: { type: 'recurring', interval: 'year' } }),
];

/** A member who has paid 10.00 for a month, ten days ago, at an offer with these plan changes, and these pauses. */
async function member(planChanges: object | null = {}, pause: object | null = null): Promise<Member> {
  const sale = await checkout.offer({ pricing: PRICES, planChanges, pause });
  const payer = checkout.newPayer();
  const made = await checkout.subscribe(sale, payer);
  const { id } = Object(made.body).outcome.subscription;
  await checkout.payFirstCycle(id);
  checkout.later(10 * DAY_MS);
  const offer = await sale.merchant.get(`/offers/${sale.offerId}`);
  const prices = Object(offer.body).pricing.map((option: object) => Object(option).id);
  const subject = { kind: 'wallet', family: 'evm', wallet: payer.address, chainId: null } as const;
  const portal: Member['portal'] = async (path, body) => {
    const { secret } = await openPortalSession(checkout.http.deps, subject);
    const headers = { 'X-Portal-Request': '1', cookie: `tideline_portal=${secret}` };
    return checkout.http.send(body === undefined ? 'GET' : 'POST', `/portal/api/subscriptions/${id}${path}`, {
      headers,
      ...(body === undefined ? {} : { body }),
    });
  };
  return { ...sale, id, payer, prices, portal };
}

const choose = ({ portal, prices }: Member, index: number) => portal('/change', { priceId: prices[index] });

/** The payer signs at the link, and the service sees the approval. */
async function sign({ payer, id }: Member, link: string): Promise<void> {
  const { status } = await checkout.authorize(link, payer);
  expect(status).toBe(200);
  await checkout.billing.watcher.check([id]);
  await checkout.billing.quiet();
}

async function contextOf({ merchant, id }: Member) {
  return subscriptionContextOf(await merchant.subscription(id));
}

const paymentOf = async ({ merchant, id }: Member, cycle: number) =>
  Object((await merchant.get(`/payments/${cyclePaymentId(id, cycle)}`)).body);

/** The unused worth of a period at a moment, by its payment alone, in tokens. */
function unusedOf(
  worth: bigint,
  { periodStart, periodEnd }: { periodStart: string; periodEnd: string },
  at: string,
): string {
  const ms = (from: string, to: string) => BigInt(Date.parse(to) - Date.parse(from));
  return inTokens((worth * ms(at, periodEnd)) / ms(periodStart, periodEnd));
}

/** The change that the payer has signed is due, and charged. */
async function pays(one: Member, cycle: number): Promise<void> {
  await checkout.wake('subscription');
  await checkout.chain.charges.settle(cyclePaymentId(one.id, cycle));
}

describe('a change to more money', () => {
  it('begins at once with a credit that the page, the charge, the payment and the receipt show', async () => {
    const one = await member();
    const first = await paymentOf(one, 1);
    const now = checkout.http.now.toISOString();
    const credit = unusedOf(units('10.00'), first, now);
    const amounts = { credit, now: inTokens(units('30.00') - units(credit)) };
    expect((await one.portal('')).body).toMatchObject({
      waiting: null,
      changes: [
        { priceId: one.prices[1], quote: { at: null, later: '30.00', ...amounts } },
        { priceId: one.prices[2], quote: { at: first.periodEnd, now: '0.00', credit: '0.00', later: '4.00' } },
        { priceId: one.prices[3], quote: { at: null, later: '300.00' } },
      ],
    });
    const link = linkTokenIn(await choose(one, 1));
    const page = await checkout.get(`/authorizations/${link}`);
    expect(page.body).toMatchObject({ kind: 'migration', quote: { at: null, paidUntil: first.periodEnd, ...amounts } });
    const challenge = await checkout.post(`/authorizations/${link}/challenges`, { address: one.payer.address });
    expect(challenge.body).toMatchObject({
      message: expect.stringContaining(
        'I accept new terms of Pro from now on: I let Acme charge this account 30.00 USD',
      ),
      mandate: { perCharge: '30.00' },
    });
    await sign(one, link);
    expect((await checkout.get(`/authorizations/${link}`)).body).toMatchObject({ outcome: { progress: 'charging' } });
    await pays(one, 2);

    expect(await paymentOf(one, 2)).toMatchObject({
      ...{ status: 'settled', amount: amounts.now, credit: { amount: amounts.credit, paymentId: first.id } },
      ...{ periodStart: now, priceId: one.prices[1] },
    });
    expect((await one.merchant.get(`/subscriptions/${one.id}`)).body).toMatchObject({
      ...{ status: 'active', cyclesCompleted: 2, pendingChange: null },
    });
    const { receiptUrl } = await paymentOf(one, 2);
    const receipt = await checkout.http.send('GET', new URL(receiptUrl).pathname, { headers: { Accept: 'text/html' } });
    expect(String(receipt.body)).toContain(`<dt>Credit for unused time</dt><dd>${amounts.credit} USDC</dd>`);
    expect((await checkout.get(`/authorizations/${link}`)).body).toMatchObject({
      ...{ quote: null, isAuthorized: true, outcome: { progress: 'completed', payment: { status: 'settled' } } },
    });
  });

  it('counts what a period is worth: not what is refunded, and the credit of its own payment too', async () => {
    const one = await member();
    const first = await paymentOf(one, 1);
    await one.merchant.post(`/payments/${first.id}/refunds`, { amount: '4.00', idempotencyKey: `refund of ${one.id}` });
    await sign(one, linkTokenIn(await choose(one, 1)));
    await pays(one, 2);
    const second = await paymentOf(one, 2);
    expect(second.credit.amount).toBe(unusedOf(units('6.00'), first, second.periodStart));

    checkout.later(3 * DAY_MS);
    const yearly = { priceId: one.prices[3], when: 'now', proration: 'credit' };
    const asked = await one.merchant.post(`/subscriptions/${one.id}/migrate`, yearly);
    const credit = unusedOf(units('30.00'), second, checkout.http.now.toISOString());
    const quote = { at: null, credit, now: inTokens(units('300.00') - units(credit)), later: '300.00' };
    expect(asked.body).toMatchObject({ quote: { ...quote, paidUntil: second.periodEnd } });
    await sign(one, linkTokenIn(asked));
    await checkout.wake('subscription');
    const third = await paymentOf(one, 3);
    const unused = unusedOf(units('30.00'), second, third.periodStart);
    expect(third.credit).toEqual({ amount: unused, paymentId: second.id });
  });

  it('that cannot be charged changes nothing, and can be signed again at the same link', async () => {
    const one = await member();
    const before = await contextOf(one);
    const link = linkTokenIn(await choose(one, 1));
    await sign(one, link);
    await checkout.wake('subscription');
    await checkout.chain.charges.refuse(cyclePaymentId(one.id, 2), 'insufficient_balance');
    const { terms, payerWallet, currentPeriodEnd, consecutiveFailures, consent } = before;
    expect(await contextOf(one)).toMatchObject({ terms, payerWallet, currentPeriodEnd, consecutiveFailures, consent });
    expect(await paymentOf(one, 2)).toMatchObject({ status: 'failed', nextAttemptAt: null });
    expect((await checkout.get(`/authorizations/${link}`)).body).toMatchObject({
      ...{ isSigned: false, isAuthorized: false, outcome: { payment: { failureReason: 'insufficient_balance' } } },
    });
    expect((await one.portal('')).body).toMatchObject({ status: 'active', waiting: null });

    await sign(one, link);
    await pays(one, 3);
    expect(await contextOf(one)).toMatchObject({ terms: { priceId: one.prices[1] }, cyclesCompleted: 2 });
  });
});

it('a change to less money waits for the end of the period, and can be taken back until then', async () => {
  const one = await member();
  const link = linkTokenIn(await choose(one, 2));
  await sign(one, link);
  const { currentPeriodEnd: at } = await contextOf(one);
  const price = one.prices[2];
  expect((await one.portal('')).body).toMatchObject({ changes: [], waiting: { priceId: price, quote: { at } } });
  expect((await one.merchant.get(`/subscriptions/${one.id}`)).body).toMatchObject({
    pendingOfferPriceId: price,
    pendingChange: { priceId: price, when: 'period_end', proration: 'none', isAuthorized: true },
  });
  expect((await one.portal('/change/cancel', {})).body).toMatchObject({ waiting: null });
  expect((await checkout.get(`/authorizations/${link}`)).status).toBe(404);
  const nothing = 'Subscription is active; taking a migration back needs one that has not begun';
  expectError(await one.portal('/change/cancel', {}), 409, nothing);

  await sign(one, linkTokenIn(await choose(one, 2)));
  const taken = await one.merchant.delete(`/subscriptions/${one.id}/migrate`);
  expect([taken.status, taken.body]).toMatchObject([200, { pendingOfferPriceId: null, pendingChange: null }]);
  expectError(await one.merchant.delete(`/subscriptions/${one.id}/migrate`), 409, nothing);
});

describe('a change in the portal is refused', () => {
  const open = 'A charge is open; a change needs it to be paid first';
  it.each<[string, (one: Member) => Promise<unknown>, string]>([
    ['while a charge is in flight', ({ merchant, id }) => merchant.beginCharge(id), open],
    ['while it is past due', ({ merchant, id }) => merchant.failCharge(id, 'insufficient_balance'), open],
    [
      'while its end is scheduled',
      ({ portal }) => portal('/cancel', { atPeriodEnd: true }),
      'The end of this subscription is scheduled; a change needs that to be taken back first',
    ],
    [
      'after its end',
      ({ portal }) => portal('/cancel', { atPeriodEnd: false }),
      'This subscription has ended; subscribe again at the merchant',
    ],
    [
      'if the offer does not have it any more',
      ({ merchant, offerId }) => merchant.patch(`/offers/${offerId}`, { planChanges: null }),
      'The merchant does not offer this change any more; choose another one',
    ],
  ])('%s', async (_when, happens, error) => {
    const one = await member();
    await happens(one);
    expect((await one.portal('')).body).toMatchObject({ changes: [] });
    expectError(await choose(one, 1), 409, error);
  });
});

describe('plan changes of an offer', () => {
  it('are none by default, may name their prices, and may all begin with the next period', async () => {
    const one = await member(null);
    expect((await one.portal('')).body).toMatchObject({ changes: [] });
    const path = `/offers/${one.offerId}`;
    const rules = { priceIds: [one.prices[1]], when: 'period_end' };
    const patched = await one.merchant.patch(path, { planChanges: rules });
    expect(patched.body).toMatchObject({ planChanges: { ...rules, proration: 'none' } });
    const { currentPeriodEnd: at } = await contextOf(one);
    expect((await one.portal('')).body).toMatchObject({ changes: [{ priceId: one.prices[1], quote: { at } }] });
    await one.merchant.patch(path, { planChanges: { proration: 'none' } });
    expect((await one.portal('')).body).toMatchObject({
      changes: [{ quote: { at: null, now: '30.00', credit: '0.00' } }, { quote: { at } }, { quote: { now: '300.00' } }],
    });
  });

  it('are refused for prices of another offer, and for a credit of a period that ends anyway', async () => {
    const one = await member();
    const other = await member();
    const path = `/offers/${one.offerId}`;
    const price = other.prices[1] ?? '';
    expectError(
      await one.merchant.patch(path, { planChanges: { priceIds: [price] } }),
      400,
      `planChanges.priceIds names ${price}, which is no recurring pricing option of this offer`,
    );
    expectError(
      await one.merchant.patch(path, { planChanges: { when: 'period_end', proration: 'credit' } }),
      400,
      'planChanges.proration credit needs planChanges.when to be now',
    );
  });
});

it.each<[string, object, number, (one: Member) => Promise<unknown>, string]>([
  ['a credit at the end', { proration: 'credit' }, 1, async () => {}, 'proration credit needs when to be now'],
  [
    'a credit of the whole new charge',
    { when: 'now', proration: 'credit' },
    2,
    async () => {},
    'The credit for unused time would be the whole new charge; migrate at the end of the period instead',
  ],
  [
    'a change at once while a cycle is not paid',
    { when: 'now' },
    1,
    ({ merchant, id }) => merchant.failCharge(id, 'insufficient_balance'),
    'A charge is open; a change needs it to be paid first',
  ],
])('POST /subscriptions/{subscriptionId}/migrate refuses %s', async (_what, how, price, happens, error) => {
  const one = await member();
  await happens(one);
  const reply = await one.merchant.post(`/subscriptions/${one.id}/migrate`, { priceId: one.prices[price], ...how });
  expectError(reply, 400, error);
});

describe('a pause in the portal', () => {
  it('is offered with its rule, says what resuming brings, and ends on request', async () => {
    const { portal } = await member(null, { byCustomer: true });
    const { currentPeriodEnd: paidUntil, ...before } = Object((await portal('')).body);
    expect(before).toMatchObject({ pause: null, pausesPeriodEnd: 'moves' });
    expect((await portal('/pause', { until: null })).body).toMatchObject({
      ...{ status: 'active', pausesPeriodEnd: null, nextCharge: { at: null }, hasEnd: true },
      pause: { by: 'payer', until: null, dueIfResumed: paidUntil },
    });
    checkout.later(3 * DAY_MS);
    const moved = addDays(paidUntil, 3);
    expect((await portal('')).body).toMatchObject({ pause: { dueIfResumed: moved } });
    expect((await portal('/resume', {})).body).toMatchObject({ pause: null, nextCharge: { at: moved } });
  });

  it('says that the charge follows at once if the kept period has passed', async () => {
    const { portal } = await member(null, { byCustomer: true, periodEnd: 'keeps' });
    await portal('/pause', { until: null });
    checkout.later(30 * DAY_MS);
    expect((await portal('')).body).toMatchObject({ pause: { dueIfResumed: null } });
  });

  it('is not for the payer if the offer does not say so, and the payer does not end the pause of the merchant', async () => {
    const { portal, merchant, id } = await member();
    expect((await portal('')).body).toMatchObject({ pausesPeriodEnd: null });
    expectError(await portal('/pause', { until: null }), 409, 'The merchant pauses this subscription; ask there');
    await merchant.post(`/subscriptions/${id}/pause`, {});
    expect((await portal('')).body).toMatchObject({ pause: { by: 'merchant' } });
    const alone = 'The merchant has paused this subscription, and alone resumes it';
    expectError(await portal('/resume', {}), 409, alone);
    expect((await portal('/cancel', { atPeriodEnd: true })).body).toMatchObject({ pause: null, nextCharge: null });
  });
});
