import { Wallet } from 'ethers';
import { cyclePaymentId } from '../../../src/model/payment.ts';
import { monthly, offerBody } from '../../support/bodies.ts';
import { expectError, idOf, priceIdOf, type Reply } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();
await merchant.http.store.records.change('merchants', merchant.id, {}, { set: { limitFactor: 100 } });

const SEATS = monthly({ amount: '5.00', model: 'per_unit', minQuantity: 2, maxQuantity: 10 });

async function create(quantity?: number, option = SEATS): Promise<Reply> {
  const priceId = priceIdOf(await merchant.post('/offers', offerBody({ pricing: [option] })));
  const wallets = [{ chainFamily: 'evm', address: Wallet.createRandom().address }];
  const customerId = idOf(await merchant.post('/customers', { wallets }));
  const made = await merchant.post('/subscriptions', { priceId, customerId, quantity });
  await merchant.billing.quiet();
  return made;
}

const change = (id: string, body: object) => merchant.post(`/subscriptions/${id}/quantity`, body);

describe('a price per unit', () => {
  it('is charged for the quantity, and each payment shows its own', async () => {
    const made = await create(3);
    const id = idOf(made);
    expect(made).toMatchObject({ status: 201, body: { quantity: 3, priceAmount: '5.00' } });
    await merchant.settleCharge(id);
    expect((await change(id, { quantity: 5 })).body).toMatchObject({ id, quantity: 5, status: 'active' });
    await merchant.beginCharge(id);
    const payments = await Promise.all([1, 2].map((cycle) => merchant.get(`/payments/${cyclePaymentId(id, cycle)}`)));
    expect(payments.map(({ body }) => body)).toMatchObject([
      { quantity: 3, amount: '15.00' },
      { quantity: 5, amount: '25.00' },
    ]);
  });

  it('begins with its least quantity; a fixed one has none', async () => {
    expect((await create()).body).toMatchObject({ quantity: 2 });
    const fixed = await create(undefined, monthly());
    expect(fixed.body).toMatchObject({ quantity: null });
    const message = 'quantity is for a price per unit only';
    expectError(await create(3, monthly()), 400, `${message}, and this price is fixed`);
    expectError(
      await change(idOf(fixed), { quantity: 3 }),
      400,
      `${message}, and the price of this subscription is fixed`,
    );
  });

  it.each([
    [1, 'quantity must be from 2 to 10 for this price'],
    [11, 'quantity must be from 2 to 10 for this price'],
    [0, 'quantity must be an integer between 1 and 1000000'],
    [2.5, 'quantity must be an integer between 1 and 1000000'],
  ])('refuses the quantity %d, at the beginning and later', async (quantity, message) => {
    expectError(await create(quantity), 400, message);
    expectError(await change(idOf(await create()), { quantity }), 400, message);
  });

  it('keeps its quantity while a cycle is open, and after the end', async () => {
    const id = idOf(await create());
    await merchant.beginCharge(id);
    const needs = 'with a cycle that is not paid yet; quantity needs it to be paid first';
    expectError(await change(id, { quantity: 5 }), 409, `Subscription is pending ${needs}`);
    await merchant.post(`/subscriptions/${id}/cancel`);
    const error = 'Subscription is canceled; quantity needs pending, active or past_due';
    expectError(await change(id, { quantity: 5 }), 409, error);
  });

  it('changes once for each key, however late the call is repeated', async () => {
    const id = idOf(await create());
    const first = { quantity: 4, idempotencyKey: 'four seats' };
    const made = await change(id, first);
    expect([made.body, made.headers.get('idempotency-replayed')]).toMatchObject([{ quantity: 4 }, null]);
    await change(id, { quantity: 7 });
    const again = await change(id, first);
    expect(again).toMatchObject({ status: 200, body: { quantity: 7 } });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('idempotency-mismatch')).toBeNull();
    const other = await change(id, { ...first, quantity: 6 });
    expect([other.status, other.headers.get('idempotency-mismatch')]).toEqual([200, 'true']);
  });

  it('changes with a key whose first call was refused', async () => {
    const id = idOf(await create());
    const wish = { quantity: 4, idempotencyKey: 'refused once' };
    const paymentId = await merchant.beginCharge(id);
    expect((await change(id, wish)).status).toBe(409);
    await merchant.chain.charges.settle(paymentId);
    expect(await change(id, wish)).toMatchObject({ status: 200, body: { quantity: 4 } });
  });

  it('is moved to another price with a quantity of that one', async () => {
    const pricing = [SEATS, { ...SEATS, maxQuantity: 4 }, monthly({ amount: '8.00' })];
    const offer = await merchant.post('/offers', offerBody({ pricing }));
    const [first, smaller, fixed] = Object(offer.body).pricing.map((option: object) => Object(option).id);
    const customerId = idOf(await merchant.post('/customers', {}));
    const id = idOf(await merchant.post('/subscriptions', { priceId: first, customerId, quantity: 7 }));
    const wanted = async (body: object) => {
      await merchant.post(`/subscriptions/${id}/migrate`, body);
      return Object((await merchant.subscription(id)).context['migration']).terms;
    };
    expect(await wanted({ priceId: smaller })).toMatchObject({ amount: '20000000', model: { quantity: 4 } });
    expect(await wanted({ priceId: smaller, quantity: 2 })).toMatchObject({
      amount: '10000000',
      model: { quantity: 2 },
    });
    expect(await wanted({ priceId: fixed })).toMatchObject({ amount: '8000000' });
  });
});
