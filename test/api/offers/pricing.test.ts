import { z } from 'zod';
import { STATIC_RATES, staticRates } from '../../../src/billing/offers/rates.ts';
import { ALICE, monthly, offerBody } from '../../support/bodies.ts';
import { expectError, idOf, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);
let id: string;
let first: string;
beforeEach(async () => {
  http.rates = staticRates(STATIC_RATES);
  const made = await merchant.post('/offers', offerBody());
  id = idOf(made);
  [first = ''] = optionIds(made);
});

const yearly = monthly({ amount: '99', billing: { type: 'recurring', interval: 'year' } });

const SEATS = { ...yearly, amount: '0.25', model: 'per_unit', minQuantity: 4, maxQuantity: 20 };

function add(body: unknown, offer = id): Promise<Reply> {
  return merchant.post(`/offers/${offer}/pricing`, body);
}

function retire(priceId: string): Promise<Reply> {
  return merchant.delete(`/offers/${id}/pricing/${priceId}`);
}

function options({ body }: Reply) {
  return z.object({ pricing: z.array(z.object({ id: z.string(), active: z.boolean() })) }).parse(body).pricing;
}

function optionIds(reply: Reply): string[] {
  return options(reply).map((option) => option.id);
}

describe('POST /offers/{offerId}/pricing 201', () => {
  it('adds an option and keeps the others', async () => {
    const before = await merchant.get(`/offers/${id}`);
    const after = await add(yearly);
    expect(after.status).toBe(201);
    expect(optionIds(after)).toEqual([first, expect.stringMatching(/^price_/)]);
    expect({ ...Object(after.body), pricing: [] }).toEqual({ ...Object(before.body), pricing: [] });
    expect(after.body).toMatchObject({
      pricing: [{ amount: '9.90' }, { amount: '99', billing: { interval: 'year' } }],
    });
  });

  it('has the model and the limits of a price per unit', async () => {
    const { body } = await add({ ...SEATS, quantityChangedBy: 'customer' });
    expect(body).toMatchObject({
      pricing: [
        { model: 'fixed', minQuantity: null, maxQuantity: null, quantityChangedBy: null },
        {
          ...{ model: 'per_unit', minQuantity: 4, maxQuantity: 20, quantityChangedBy: 'customer' },
          acceptedTokens: [{ amountBaseUnits: '250000' }],
        },
      ],
    });
  });

  it('keeps all options that are added at the same time', async () => {
    await Promise.all([add(yearly), add(yearly), add(yearly)]);
    expect(optionIds(await merchant.get(`/offers/${id}`))).toHaveLength(4);
  });
});

describe('POST /offers/{offerId}/pricing 400', () => {
  it.each([
    ['no greatest quantity', { ...SEATS, maxQuantity: null }, 'maxQuantity is required for the model per_unit'],
    ['a quantity of 0', { ...SEATS, minQuantity: 0 }, 'minQuantity must be an integer between 1 and 1000000'],
    ['a range the wrong way', { ...SEATS, minQuantity: 21 }, 'maxQuantity must be at least minQuantity, 21'],
    ['units paid once', { ...SEATS, billing: { type: 'one_time' } }, 'model per_unit is for recurring billing only'],
    ['limits of a fixed price', { ...yearly, maxQuantity: 3 }, 'maxQuantity is for the model per_unit only'],
    ['few cheap units', { ...SEATS, minQuantity: 3 }, 'amount for minQuantity, 3, must be at least 1.00 USD'],
    [
      'a cap that the chain cannot express',
      { ...SEATS, acceptedTokens: ['usdc-solana'], amount: '100000000000', minQuantity: 1, maxQuantity: 1_000 },
      'amount for maxQuantity is more than an amount on this chain can express',
    ],
  ])('refuses %s, and names the field', async (_what, body, message) => {
    expectError(await add(body), 400, expect.stringMatching(new RegExp(`^${message.replaceAll(/[[\].]/g, '\\$&')}`)));
  });

  it('refuses a Solana token if the offer has splits', async () => {
    const body = offerBody({ splitEvm: [{ address: ALICE, percentage: '5' }] });
    const split = idOf(await merchant.post('/offers', body));
    const reply = await add({ ...yearly, acceptedTokens: ['usdc-solana'] }, split);
    expectError(reply, 400, expect.stringContaining('acceptedTokens[0] is a Solana token'));
  });
});

describe('POST /offers/{offerId}/pricing 409', () => {
  it('answers when the offer has 50 options', async () => {
    const body = offerBody({ pricing: Array.from({ length: 49 }, () => monthly()) });
    const big = idOf(await merchant.post('/offers', body));
    const replies = [await add(yearly, big), await add(yearly, big)];
    expect(replies.map(({ status }) => status)).toEqual([201, 409]);
    expect(replies[1]?.body).toEqual({ error: 'Offer has 50 pricing options; 50 is the most' });
  });
});

describe('DELETE /offers/{offerId}/pricing/{priceId} 200', () => {
  it('keeps the option in the list, inactive; repeating it changes nothing', async () => {
    const [, second = ''] = optionIds(await add(yearly));
    const once = await retire(second);
    const twice = await retire(second);
    expect([once.status, twice.status]).toEqual([200, 200]);
    expect(options(once)).toEqual([
      { id: first, active: true },
      { id: second, active: false },
    ]);
    expect(twice.body).toEqual(once.body);
  });
});

describe('DELETE /offers/{offerId}/pricing/{priceId} 404', () => {
  it('finds no option of another offer', async () => {
    const other = await merchant.post('/offers', offerBody());
    expect((await retire(optionIds(other)[0] ?? '')).status).toBe(404);
  });
});

describe('DELETE /offers/{offerId}/pricing/{priceId} 409', () => {
  it('refuses to retire the last active option, even if two are retired at the same time', async () => {
    const [, second = ''] = optionIds(await add(yearly));
    const replies = await Promise.all([retire(first), retire(second)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = replies.find(({ status }) => status === 409);
    expect(refused?.body).toEqual({ error: expect.stringContaining('Offer has no other active pricing option') });
  });
});
