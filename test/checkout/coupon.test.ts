import { NOTHING, PLENTY } from '../../stage/scripted-chain.ts';
import { monthly } from '../support/bodies.ts';
import { expectError, idOf } from '../support/http.ts';
import { CheckoutOverHttp, ONE_TIME, type OnSale, type Payer } from './support/checkout.ts';

const HOUR_MS = 3_600_000;
const checkout = await CheckoutOverHttp.start();

beforeEach(() => {
  checkout.chain.state = NOTHING;
  checkout.later(60_000);
});

const WELCOME = { coupon: 'WELCOME' };

async function selling(
  coupon: object,
  pricing: object[] = [monthly({ amount: '10.00' })],
): Promise<OnSale & { couponId: string }> {
  const sale = await checkout.offer({ name: 'Pro', pricing });
  const made = await sale.merchant.post('/coupons', { code: 'WELCOME', percentOff: '25', cycles: 3, ...coupon });
  return { ...sale, couponId: idOf(made) };
}

const found = ({ offerId, priceId }: OnSale, code: string) =>
  checkout.get(`/offers/${offerId}/coupons/${code}?priceId=${priceId}`);

function challenged({ offerId, priceId }: OnSale, { address }: Payer, coupon: string) {
  return checkout.post(`/offers/${offerId}/challenges`, { address, priceId, coupon });
}

const redemptions = async ({ merchant, couponId }: OnSale & { couponId: string }) =>
  Object((await merchant.get(`/coupons/${couponId}`)).body).redemptions;

describe('a code at the checkout', () => {
  it('shows what it leaves of the price, for how long', async () => {
    const sale = await selling({});
    expect((await checkout.get(`/offers/${sale.offerId}`)).body).toMatchObject({ takesCodes: true });
    expect((await found(sale, 'welcome')).body).toMatchObject({ percentOff: '25', cyclesLeft: 3, charge: '7.50' });
    expectError(await found(sale, 'OTHER'), 400, 'This code is not valid');
    const plain = await checkout.offer({});
    expect((await checkout.get(`/offers/${plain.offerId}`)).body).toMatchObject({ takesCodes: false });
  });

  it('is in the signed text, which has the full price as the most of a charge', async () => {
    const sale = await selling({});
    const challenge = await checkout.challenge(sale, checkout.newPayer().address, WELCOME);
    expect(challenge).toMatchObject({ mandate: { perCharge: '10.00' }, least: '10.00' });
    expect(challenge.message).toContain('for Pro, the next 3 charges less 25 percent (coupon WELCOME), through');
    const payer = checkout.newPayer();
    const made = await checkout.subscribe(sale, payer, {}, WELCOME);
    const discount = { code: 'WELCOME', charge: '7.50', cyclesLeft: 3 };
    expect(made).toMatchObject({ status: 201, body: { outcome: { subscription: { discount } } } });
    expect(await redemptions(sale)).toBe(1);
    // The same wallet again: its subscription has the discount already.
    expect(await checkout.subscribe(sale, payer, {}, WELCOME)).toMatchObject({
      status: 201,
      body: { isExisting: true },
    });
    expect(await redemptions(sale)).toBe(1);
    const error = 'message is not a challenge for this purchase; ask for a new challenge and sign it unchanged';
    expectError(await checkout.subscribe(sale, checkout.newPayer(), WELCOME), 400, error);
  });

  it('is added to a subscription on which nothing is paid yet', async () => {
    const sale = await selling({});
    const payer = checkout.newPayer();
    await checkout.subscribe(sale, payer);
    expect(await checkout.subscribe(sale, payer, {}, WELCOME)).toMatchObject({
      body: { isExisting: true, outcome: { subscription: { discount: { charge: '7.50' } } } },
    });
    const [doc] = await checkout.subscriptions(sale);
    checkout.chain.state = PLENTY;
    await checkout.billing.watcher.check([doc?._id ?? '']);
    await sale.merchant.settleCharge(doc?._id ?? '');
    const other = await sale.merchant.post('/coupons', { code: 'LATER', percentOff: '50', cycles: 1 });
    expect(other.status).toBe(201);
    expectError(await challenged(sale, payer, 'LATER'), 400, 'This coupon is for a new subscription only');
  });

  it('of two payers with one redemption left, one gets it; the other may go on with the full price', async () => {
    const sale = await selling({ maxRedemptions: 1 });
    const payers = [checkout.newPayer(), checkout.newPayer()];
    const made = await Promise.all(payers.map((payer) => checkout.subscribe(sale, payer, {}, WELCOME)));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(await redemptions(sale)).toBe(1);
    const late = payers[made[0]?.status === 400 ? 0 : 1];
    expect(late && (await checkout.subscribe(sale, late))).toMatchObject({
      status: 201,
      body: { outcome: { subscription: { discount: null } } },
    });
  });

  it('that lapses before the signature is used makes nothing', async () => {
    const sale = await selling({});
    const body = await checkout.signed(sale, checkout.newPayer(), {}, WELCOME);
    await sale.merchant.patch(`/coupons/${sale.couponId}`, { active: false });
    expectError(await checkout.post(`/offers/${sale.offerId}/subscriptions`, body), 400, 'This coupon has ended');
    expect([await redemptions(sale), await checkout.subscriptions(sale)]).toEqual([0, []]);
  });

  it('of the whole price is shown as free, and needs the allowance for what follows', async () => {
    const sale = await selling({ percentOff: '100', cycles: 1 });
    expect((await found(sale, 'WELCOME')).body).toMatchObject({ charge: '0.00' });
    const made = await checkout.subscribe(sale, checkout.newPayer(), {}, WELCOME);
    expect(made.body).toMatchObject({ asked: { amount: '10.00' }, outcome: { progress: 'waiting' } });
  });
});

describe('a code for a one-time price', () => {
  const pay = (sale: OnSale, payer: Payer) => checkout.pay(sale, payer, {}, WELCOME);
  const transfer = (sale: OnSale) => checkout.transfer(sale, WELCOME);

  it('is off its one charge, which alone is signed, and counts for the payment that settles', async () => {
    const sale = await selling({}, [ONE_TIME]);
    const discount = { code: 'WELCOME', percentOff: '25', charge: '18.75', cyclesLeft: 1 };
    expect((await found(sale, 'WELCOME')).body).toMatchObject(discount);
    const challenge = await checkout.challenge(sale, checkout.newPayer().address, WELCOME);
    expect(challenge).toMatchObject({ mandate: { perCharge: '18.75' }, total: '18.75' });
    expect(challenge.message).toContain(
      '25.00 USDC on Local EVM, once for Pro, less 25 percent (coupon WELCOME): 18.75 USDC, through',
    );
    checkout.chain.state = PLENTY;
    const made = await pay(sale, checkout.newPayer());
    expect(made).toMatchObject({ status: 201, body: { discount, asked: { total: '18.75' } } });
    const [payment] = await checkout.payments(sale);
    await checkout.chain.charges.settle(payment?._id ?? '');
    const off = { couponId: sale.couponId, code: 'WELCOME', amount: '6.25' };
    const paid = { status: 'settled', amount: '18.75', merchantAmount: '18.75', discount: off };
    expect((await sale.merchant.get(`/payments/${payment?._id}`)).body).toMatchObject(paid);
    const { body: list } = await sale.merchant.get(`/coupons/${sale.couponId}/redemptions`);
    const row = { id: expect.stringMatching(/^ses_/), subscriptionId: null, paymentId: payment?._id, releasedAt: null };
    expect(list).toMatchObject({ redemptions: [row] });
    expect(await redemptions(sale)).toBe(1);
  });

  it('is given back when the purchase lapses, and not before', async () => {
    const sale = await selling({ maxRedemptions: 1 }, [ONE_TIME]);
    const [one, other] = [checkout.newPayer(), checkout.newPayer()];
    const made = await Promise.all([one, other].map((payer) => pay(sale, payer)));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 400]);
    for (let hours = 1; hours <= 24; hours += 1) {
      expect(await redemptions(sale)).toBe(1);
      checkout.later(HOUR_MS);
      await checkout.billing.watcher.checkDue();
    }
    expect([await redemptions(sale), await checkout.payments(sale)]).toEqual([0, []]);
    expect((await pay(sale, other)).status).toBe(201);
  });

  it('lowers a transfer too, but takes nothing limited for what nobody has signed', async () => {
    const sale = await selling({}, [ONE_TIME]);
    const { reply, body, poll } = await transfer(sale);
    expect(reply).toMatchObject({ status: 201, body: { deposit: { amount: '18.75' }, discount: { charge: '18.75' } } });
    expect((await checkout.post(`/offers/${sale.offerId}/payments`, body)).status).toBe(200);
    expect(await redemptions(sale)).toBe(1);
    checkout.later(HOUR_MS);
    await checkout.wake('payment');
    expect(await redemptions(sale)).toBe(0);
    expect(await poll()).toMatchObject({ body: { outcome: { progress: 'ended' } } });
    for (const limit of [{ maxRedemptions: 5 }, { firstTimeOnly: true }]) {
      const limited = await selling(limit, [ONE_TIME]);
      expectError((await transfer(limited)).reply, 400, 'This coupon is for payments from a wallet, not by transfer');
    }
  });

  it('leaves at least the least price', async () => {
    const error = 'This coupon takes off too much: less than the least price would be left';
    expectError(await found(await selling({ percentOff: '96.01' }, [ONE_TIME]), 'WELCOME'), 400, error);
    expect((await found(await selling({ percentOff: '96' }, [ONE_TIME]), 'WELCOME')).body).toMatchObject({
      charge: '1.00',
    });
  });

  it('is for new customers only, if it says so', async () => {
    const sale = await selling({ firstTimeOnly: true }, [ONE_TIME]);
    const payer = checkout.newPayer();
    checkout.chain.state = PLENTY;
    expect((await pay(sale, payer)).status).toBe(201);
    await checkout.chain.charges.settle((await checkout.payments(sale))[0]?._id ?? '');
    expectError(await challenged(sale, payer, 'WELCOME'), 400, 'This coupon is for new customers only');
  });
});

it('a discount that the merchant takes off makes an older text of a link void', async () => {
  const sale = await selling({});
  const { merchant, id, token } = await checkout.linked(sale);
  await merchant.post(`/subscriptions/${id}/discount`, { couponId: sale.couponId });
  const payer = checkout.newPayer();
  const old = await checkout.signedLink(token, payer);
  expect(old.message).toContain('less 25 percent');
  await merchant.delete(`/subscriptions/${id}/discount`);
  const error = 'message names terms that have changed; ask for a new challenge and sign it unchanged';
  expectError(await checkout.post(`/authorizations/${token}`, old), 400, error);
  expect((await checkout.authorize(token, payer)).status).toBe(200);
});
