import { NOTHING, PLENTY } from '../../stage/scripted-chain.ts';
import { monthly } from '../support/bodies.ts';
import { expectError, idOf } from '../support/http.ts';
import { CheckoutOverHttp, linkTokenIn, type OnSale, type Payer } from './support/checkout.ts';

const checkout = await CheckoutOverHttp.start();

beforeEach(() => {
  checkout.chain.state = NOTHING;
  checkout.later(60_000);
});

const CHOSEN = { model: 'per_unit', amount: '5.00', minQuantity: 2, maxQuantity: 10, quantityChangedBy: 'customer' };

const seats = (change: object = {}) => checkout.offer({ name: 'Team', pricing: [monthly({ ...CHOSEN, ...change })] });

/** The text for a wallet that buys this quantity. */
async function challenged({ offerId, priceId }: OnSale, payer: Payer, quantity?: number) {
  return checkout.post(`/offers/${offerId}/challenges`, { address: payer.address, priceId, quantity });
}

/** A session for one quantity whose text is about another one, by default the same. */
function subscribe(sale: OnSale, payer: Payer, quantity?: number, about = quantity) {
  return checkout.subscribe(sale, payer, { quantity }, { quantity: about });
}

async function termsIn(sale: OnSale) {
  const docs = await checkout.subscriptions(sale);
  return docs.map((doc) => Object(doc.context['terms']));
}

describe('a metered price at the checkout', () => {
  const USE = { model: 'metered', amount: '0.01', includedUnits: 100, capAmount: '20.00' };

  it('is signed up to its cap, in words too, from the end of the first period on, and has no trial', async () => {
    const sale = await checkout.offer({ name: 'Calls', pricing: [monthly(USE)] });
    const challenge = await checkout.challenge(sale, checkout.newPayer().address);
    expect(challenge).toMatchObject({ mandate: { perCharge: '20.00' }, lines: [{ amount: '20.00' }] });
    const prices = '0.00 USDC a unit up to 100, then 0.01 USDC a unit';
    expect(challenge.message).toContain(
      `charge this account by use: ${prices}, at most 20.00 USDC on Local EVM a charge, every month for`,
    );
    const payer = checkout.newPayer();
    expect((await subscribe(sale, payer)).status).toBe(201);
    const [doc] = await checkout.subscriptions(sale);
    expect(doc?.context).toMatchObject({ terms: { amount: '20000000' }, usage: { billed: 0 } });
    const again = await checkout.challenge(sale, payer.address);
    expect(again.message).toContain(prices);
    expect(again.message).not.toContain('trial');
  });
});

describe('a price with a threshold at the checkout', () => {
  const USE = {
    model: 'metered',
    amount: '0.01',
    capAmount: '20.00',
    thresholdAmount: '5.00',
    windowCapAmount: '60.00',
  };

  it('says both limits and when it charges in the text to sign', async () => {
    const sale = await checkout.offer({ name: 'Calls', pricing: [monthly(USE)] });
    const { message } = await checkout.challenge(sale, checkout.newPayer().address);
    expect(message).toContain(
      'at most 20.00 USDC on Local EVM a charge and 60.00 USDC in any 30 days, each time that 5.00 USDC are used and every month for',
    );
  });
});

describe('a price per unit at the checkout', () => {
  it('is signed up to its greatest quantity, in words too, and asks for an allowance of the chosen one', async () => {
    const sale = await seats();
    const challenge = await checkout.challenge(sale, checkout.newPayer().address, { quantity: 3 });
    expect(challenge).toMatchObject({
      mandate: { perCharge: '50.00' },
      typedData: { message: { perCharge: '50000000' } },
      lines: [{ amount: '15.00', cycles: 12 }],
      least: '15.00',
    });
    expect(challenge.message).toContain(
      '3 x 5.00 USD, as 15.00 USDC on Local EVM, and for another quantity at most 50.00 USDC a charge (10 units), every month',
    );
  });

  it('is subscribed with the chosen quantity, by default the least', async () => {
    for (const [quantity, amount] of [
      [4, '20000000'],
      [undefined, '10000000'],
    ] as const) {
      const sale = await seats();
      expect((await subscribe(sale, checkout.newPayer(), quantity)).status).toBe(201);
      expect(await termsIn(sale)).toMatchObject([{ amount, model: { quantity: quantity ?? 2 } }]);
    }
  });

  it('refuses a text about another quantity, and a quantity that the price does not have', async () => {
    const sale = await seats();
    const error = 'message is not a challenge for this purchase; ask for a new challenge and sign it unchanged';
    expectError(await subscribe(sale, checkout.newPayer(), 9, 3), 400, error);
    expectError(await challenged(sale, checkout.newPayer(), 11), 400, 'quantity must be from 2 to 10 for this price');
    const set = await seats({ quantityChangedBy: 'merchant' });
    const chosen = 'quantity is chosen by the merchant for this price; expected 2';
    expectError(await challenged(set, checkout.newPayer(), 3), 400, chosen);
    expect((await challenged(set, checkout.newPayer(), 2)).status).toBe(201);
  });

  it('sets the signed quantity of a subscription that the wallet has already, unless a cycle is open', async () => {
    const sale = await seats();
    const payer = checkout.newPayer();
    await subscribe(sale, payer, 3);
    expect(await subscribe(sale, payer, 5)).toMatchObject({ status: 201, body: { isExisting: true } });
    expect(await termsIn(sale)).toMatchObject([{ model: { quantity: 5 } }]);
    const [doc] = await checkout.subscriptions(sale);
    checkout.chain.state = PLENTY;
    await checkout.billing.watcher.check([doc?._id ?? '']);
    await sale.merchant.beginCharge(doc?._id ?? '');
    expectError(await subscribe(sale, payer, 6), 409, expect.stringContaining('a subscription of 5 units'));
    expect(await termsIn(sale)).toMatchObject([{ model: { quantity: 5 } }]);
  });
});

describe('a link of a price per unit', () => {
  async function linked() {
    const sale = await seats({ quantityChangedBy: 'merchant' });
    const customerId = idOf(await sale.merchant.post('/customers', {}));
    const made = await sale.merchant.post('/subscriptions', { priceId: sale.priceId, customerId, quantity: 3 });
    return { merchant: sale.merchant, id: idOf(made), token: linkTokenIn(made) };
  }

  it('is signed for the greatest quantity, so that a later one needs no signature', async () => {
    const { merchant, id, token } = await linked();
    const body = await checkout.signedLink(token, checkout.newPayer());
    expect(body.message).toContain('3 x 5.00 USD, as 15.00 USDC');
    expect((await checkout.post(`/authorizations/${token}`, body)).status).toBe(200);
    await merchant.post(`/subscriptions/${id}/quantity`, { quantity: 10 });
    const { terms, consent } = Object((await merchant.subscription(id)).context);
    const [mandate] = await checkout.http.store.records.get('mandates', [consent.mandateId]);
    expect([terms.amount, mandate?.perCharge]).toEqual(['50000000', '50000000']);
  });

  it('asks to read again if the quantity has changed since the text was issued', async () => {
    const { merchant, id, token } = await linked();
    const payer = checkout.newPayer();
    const old = await checkout.signedLink(token, payer);
    await merchant.post(`/subscriptions/${id}/quantity`, { quantity: 4 });
    const error = 'message names terms that have changed; ask for a new challenge and sign it unchanged';
    expectError(await checkout.post(`/authorizations/${token}`, old), 400, error);
    expect((await checkout.authorize(token, payer)).status).toBe(200);
  });
});
