import { Wallet } from 'ethers';
import { cyclePaymentId } from '../../../src/model/payment.ts';
import { monthly, offerBody } from '../../support/bodies.ts';
import { expectError, idOf, priceIdOf } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();
await merchant.http.store.records.change('merchants', merchant.id, {}, { set: { limitFactor: 100 } });

const coupon = (body: object) => merchant.post('/coupons', { percentOff: '25', cycles: 2, ...body });
const read = async (id: string) => (await merchant.get(`/coupons/${id}`)).body;

async function customer(): Promise<string> {
  const wallets = [{ chainFamily: 'evm', address: Wallet.createRandom().address }];
  return idOf(await merchant.post('/customers', { wallets }));
}

async function subscribe(couponId?: string, more: object = {}) {
  const offer = await merchant.post('/offers', offerBody({ pricing: [monthly({ amount: '10.00' })] }));
  const made = { priceId: priceIdOf(offer), customerId: await customer(), couponId, ...more };
  const reply = await merchant.post('/subscriptions', made);
  await merchant.billing.quiet();
  return reply;
}

const setOn = (id: string, couponId: string) => merchant.post(`/subscriptions/${id}/discount`, { couponId });

/** The payment of a cycle that begins now and settles. */
async function paid(id: string, cycle: number) {
  await merchant.settleCharge(id);
  return (await merchant.get(`/payments/${cyclePaymentId(id, cycle)}`)).body;
}

const NO_TICKER = 'ticker is required with amountOff: that of a token, such as USDC';

describe('a coupon', () => {
  it('is made once with its code, listed, and ended; what it takes off stays', async () => {
    const made = await coupon({ code: 'welcome-1', maxRedemptions: 3 });
    const id = idOf(made);
    const shown = { code: 'WELCOME-1', percentOff: '25', amountOff: null, cycles: 2, active: true, redemptions: 0 };
    expect(made).toMatchObject({ status: 201, body: shown });
    expectError(await coupon({ code: 'Welcome-1' }), 409, 'A coupon with the code "WELCOME-1" already exists');
    expect((await merchant.get('/coupons?code=welcome-1')).body).toMatchObject({ coupons: [{ id }], hasMore: false });
    expectError(await merchant.patch(`/coupons/${id}`, { cycles: 3 }), 400, 'cycles cannot be updated');
    expect((await merchant.patch(`/coupons/${id}`, { active: false })).body).toMatchObject({ active: false });
    expectError(await subscribe(id), 400, 'This coupon has ended');
  });

  it.each([
    [{ percentOff: undefined }, 'percentOff or amountOff is required, and not both'],
    [{ amountOff: '5.00', ticker: 'USDC' }, 'percentOff or amountOff is required, and not both'],
    [{ percentOff: '0' }, 'percentOff must be more than 0'],
    [{ percentOff: undefined, amountOff: '5.00' }, NO_TICKER],
    [{ percentOff: undefined, amountOff: '0', ticker: 'USDC' }, 'amountOff must be more than 0'],
    [
      { percentOff: undefined, amountOff: '5', ticker: 'DOGE' },
      'ticker must be that of a token of GET /currencies, such as USDC',
    ],
    [{ cycles: 0 }, 'cycles must be an integer between 1 and 1000'],
    [{ code: 'ÄÖ' }, 'code must be 1 to 50 letters without accents, digits, hyphens or underscores'],
    [{ offerIds: ['offer_x'] }, 'offerIds names offer_x, which is no offer of yours'],
  ])('refuses %j', async (body, message) => expectError(await coupon(body), 400, message));
});

describe('a subscription with a coupon', () => {
  it('is charged less for its cycles; payment, subscription and coupon show it', async () => {
    const couponId = idOf(await coupon({ code: 'TWO' }));
    const made = await subscribe(couponId);
    const id = idOf(made);
    const discount = { couponId, code: 'TWO', percentOff: '25', amountOff: null, cyclesLeft: 2 };
    expect(made).toMatchObject({ status: 201, body: { discount, priceAmount: '10.00' } });
    const off = { couponId, code: 'TWO', amount: '2.50' };
    expect(await paid(id, 1)).toMatchObject({ status: 'settled', amount: '7.50', discount: off });
    expect(await paid(id, 2)).toMatchObject({ amount: '7.50', discount: off });
    expect(await paid(id, 3)).toMatchObject({ amount: '10.00', discount: null });
    expect((await merchant.get(`/subscriptions/${id}`)).body).toMatchObject({ discount: null });
    expect(await read(couponId)).toMatchObject({ redemptions: 1 });
    const { body } = await merchant.get(`/coupons/${couponId}/redemptions`);
    expect(body).toMatchObject({ redemptions: [{ subscriptionId: id, releasedAt: null }] });
  });

  it('gets it from the merchant between two cycles, once, and loses it again', async () => {
    const id = idOf(await subscribe());
    await merchant.settleCharge(id);
    const couponId = idOf(await coupon({ percentOff: undefined, amountOff: '4.00', ticker: 'USDC', cycles: null }));
    expect(await setOn(id, couponId)).toMatchObject({ status: 200, body: { discount: { amountOff: '4.00' } } });
    expect(await setOn(id, couponId)).toMatchObject({ status: 200 });
    expect(await read(couponId)).toMatchObject({ redemptions: 1 });
    expect(await paid(id, 2)).toMatchObject({ amount: '6.00', discount: { code: null, amount: '4.00' } });
    await merchant.beginCharge(id);
    const open = 'Subscription is active; discount needs its open cycle to be paid first';
    expectError(await merchant.delete(`/subscriptions/${id}/discount`), 409, open);
    expectError(await setOn(id, idOf(await coupon({}))), 409, open);
    const other = idOf(await subscribe(couponId));
    expect((await merchant.delete(`/subscriptions/${other}/discount`)).body).toMatchObject({ discount: null });
    expectError(await setOn(other, couponId), 409, 'This subscription has redeemed this coupon before');
    expect(await read(couponId)).toMatchObject({ redemptions: 2 });
  });

  it('gives its redemption back if it ends before anything is paid', async () => {
    const couponId = idOf(await coupon({ maxRedemptions: 1 }));
    const first = idOf(await subscribe(couponId));
    expectError(await subscribe(couponId), 400, 'This coupon has been used up');
    await merchant.post(`/subscriptions/${first}/cancel`, {});
    await merchant.billing.quiet();
    expect(await read(couponId)).toMatchObject({ redemptions: 0 });
    const second = idOf(await subscribe(couponId));
    await merchant.settleCharge(second);
    await merchant.post(`/subscriptions/${second}/cancel`, {});
    await merchant.billing.quiet();
    expect(await read(couponId)).toMatchObject({ redemptions: 1 });
  });

  it('needs an offer, a customer and a day that the coupon is for', async () => {
    const offerId = idOf(await merchant.post('/offers', offerBody({})));
    expectError(await subscribe(idOf(await coupon({ offerIds: [offerId] }))), 400, 'This coupon is for another offer');
    expectError(
      await subscribe(idOf(await coupon({ expiresAt: '2020-01-01T00:00:00.000Z' }))),
      400,
      'This coupon has expired',
    );
    const customerId = await customer();
    const newOnly = idOf(await coupon({ firstTimeOnly: true }));
    await merchant.settleCharge(idOf(await subscribe(newOnly, { customerId })));
    expectError(await subscribe(newOnly, { customerId }), 400, 'This coupon is for new customers only');
    const nothing = ': couponId names nothing of this merchant in this mode';
    expectError(await subscribe('cpn_nothing'), 404, `Not found${nothing}`);
  });
});
