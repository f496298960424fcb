import { type Rates, STATIC_RATES, staticRates } from '../../../src/billing/offers/rates.ts';
import { Fault } from '../../../src/errors/fault.ts';
import { ALICE, BOB, CAROL, monthly, offerBody, SOL_ALICE } from '../../support/bodies.ts';
import { expectError, idOf, PUBLIC_URL, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);
beforeEach(async () => {
  http.rates = staticRates(STATIC_RATES);
});

function create(body: unknown, key?: string): Promise<Reply> {
  return merchant.call('POST', '/offers', body, key);
}

/** USDC on Base: in the catalog, but not a token of the offer. */
const USDC_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

const LEAST = 'must be at least 1.00 USD or equivalent in the chosen currency';
const RECURRING = { type: 'recurring' } as const;
const ONE_TIME = { type: 'one_time' } as const;

const NO_RATES: Rates = {
  usdPer: async () => Promise.reject(new Fault('rate_unavailable', 'no rate')),
  source: 'nobody',
};

describe('POST /offers 201', () => {
  it('makes an offer with its pricing options and its checkout URL', async () => {
    const reply = await create(offerBody());
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      id: idOf(reply),
      name: 'Pro',
      checkoutUrl: `${PUBLIC_URL}/checkout/${idOf(reply)}`,
      pricing: [
        {
          id: expect.stringMatching(/^price_/),
          amount: '9.90',
          currency: 'USD',
          billing: { type: 'recurring', interval: 'month', intervalCount: 1 },
          acceptedTokens: [{ tokenKey: 'usdc-local-evm', chainId: 31337, amountBaseUnits: '9900000' }],
          active: true,
        },
      ],
      active: true,
      redeemedCount: 0,
      isSandbox: true,
      createdAt: '2030-01-15T10:00:00.000Z',
      updatedAt: '2030-01-15T10:00:00.000Z',
    });
  });

  it('keeps every field', async () => {
    const sent = {
      name: 'Team',
      description: 'For teams <b>of any size</b>',
      imageUrl: 'https://shop.example.com/team.png',
      identifier: 'team-2030',
      productRef: 'sku-7',
      active: false,
      availableQuantity: 10,
      expiresAt: '2031-01-01T00:00:00.000Z',
      afterCompletion: { redirect: { url: 'https://shop.example.com/thanks', 'a.b': [1, null, true] } },
      features: [{ title: 'Seats', count: 5 }, {}],
      collectFields: { vat: 'required' },
      allowedPaymentMethods: { wallet_connect: true },
      metadata: { plan: 'team' },
      reference: 'ref-1',
    };
    const { status, body } = await create(offerBody({ ...sent, splitEvm: [{ address: ALICE, percentage: '12.5' }] }));
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...sent, splitEvm: [{ address: ALICE, percentage: '12.5' }] });
  });

  it('keeps every field of an option', async () => {
    const option = {
      label: 'Quarterly',
      amount: '30',
      currency: 'usd',
      acceptedTokens: ['usdc-base', 'usdt-bnb'],
      billing: { type: 'recurring', interval: 'month', intervalCount: 3 },
      trialDays: 14,
      maxCycles: 4,
      maxFailedCycles: 2,
      merchantDestinationWallet: ALICE.toLowerCase(),
    };
    const { body } = await create(offerBody({ pricing: [option] }));
    expect(body).toMatchObject({
      pricing: [
        {
          ...option,
          currency: 'USD',
          acceptedTokens: [
            { tokenKey: 'usdc-base', chainId: 8453, amountBaseUnits: '30000000' },
            { tokenKey: 'usdt-bnb', chainId: 56, amountBaseUnits: '30000000000000000000' },
          ],
          merchantDestinationWallet: { evm: ALICE, solana: null },
        },
      ],
    });
  });

  it('freezes a fiat price at the current rate, rounded up, and shows the amount as sent', async () => {
    http.rates = staticRates({ EUR: '1.0834567' });
    const { body } = await create(offerBody({ pricing: [monthly({ amount: '9.990', currency: 'EUR' })] }));
    expect(body).toMatchObject({
      pricing: [{ amount: '9.990', currency: 'EUR', acceptedTokens: [{ amountBaseUnits: '10823733' }] }],
    });
  });

  it('counts a price in a ticker one to one in tokens of that ticker', async () => {
    const { body } = await create(offerBody({ pricing: [monthly({ amount: '2.5', currency: 'USDC' })] }));
    expect(body).toMatchObject({ pricing: [{ acceptedTokens: [{ amountBaseUnits: '2500000' }] }] });
  });

  it.each(['USD', 'USDC', 'usdt'])('prices in %s without a rate', async (currency) => {
    http.rates = NO_RATES;
    const acceptedTokens = ['usdc-base', 'usdt-solana', 'usdt-bnb'];
    const { status, body } = await create(offerBody({ pricing: [monthly({ currency, acceptedTokens })] }));
    expect(status).toBe(201);
    const amounts = ['9900000', '9900000', '9900000000000000000'].map((amountBaseUnits) => ({ amountBaseUnits }));
    expect(body).toMatchObject({ pricing: [{ currency: currency.toUpperCase(), acceptedTokens: amounts }] });
  });

  it('treats empty lists of splits as none, so that Solana tokens can be sold', async () => {
    const pricing = [monthly({ acceptedTokens: ['usdc-solana'] })];
    const { status, body } = await create(offerBody({ pricing, splitEvm: [], splitSolana: [] }));
    expect([status, body]).toEqual([201, expect.objectContaining({ splitEvm: [] })]);
  });

  it('accepts a live key with mainnet tokens, and shows that the offer is not in the sandbox', async () => {
    const { status, body } = await create(
      offerBody({ pricing: [monthly({ acceptedTokens: ['usdc-base'] })] }),
      merchant.liveKey,
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({ isSandbox: false });
  });
});

describe('POST /offers 200', () => {
  it('answers a replay while no rate is available', async () => {
    const body = offerBody({ idempotencyKey: 'offer-1', pricing: [monthly({ currency: 'EUR' })] });
    const first = await create(body);
    http.rates = NO_RATES;
    const second = await create(body);
    expect([first.status, second.status]).toEqual([201, 200]);
  });
});

describe('POST /offers 400', () => {
  const one = { address: BOB, percentage: '1' };
  const ofOffer: readonly (readonly [string, object, string])[] = [
    ['an empty name', { name: '' }, 'name must be 1 to 200 characters long'],
    ['no option', { pricing: [] }, 'pricing must have at least one option'],
    ['too many options', { pricing: Array(51).fill(monthly()) }, 'pricing must have at most 50 options'],
    [
      'too little in a later option',
      { pricing: [monthly(), monthly({ amount: '0.99' })] },
      `pricing[1].amount ${LEAST}`,
    ],
    ['an identifier with capitals', { identifier: 'Pro' }, 'identifier must be 1 to 64 lower-case'],
    ['an image that is no URL', { imageUrl: 'javascript:alert(1)' }, 'imageUrl must be an http or https URL'],
    ['a quantity below zero', { availableQuantity: -1 }, 'availableQuantity must be an integer between 0'],
    ['a date that is none', { expiresAt: 'tomorrow' }, 'expiresAt must be an ISO 8601 timestamp'],
    ['metadata with numbers', { metadata: { n: 1 } }, 'metadata.n must be a string'],
    ['a map that is too big', { collectFields: { a: 'x'.repeat(16_400) } }, 'collectFields must be at most 16384'],
    ['features that are strings', { features: ['fast'] }, 'features[0] must be a JSON object'],
    ['an empty key', { idempotencyKey: '' }, 'idempotencyKey must be 1 to 255 characters long'],
    ['splits on Solana', { splitSolana: [{ ...one, address: SOL_ALICE }] }, 'splitSolana must be empty'],
    [
      'a Solana token with splits',
      { splitEvm: [one], pricing: [monthly({ acceptedTokens: ['usdc-local-evm', 'usdc-solana'] })] },
      'pricing[0].acceptedTokens[1] is a Solana token',
    ],
  ];

  /** Changes of the only option. */
  const ofOption: readonly (readonly [string, object, string])[] = [
    ['an amount as a number', { amount: 9.9 }, 'amount must be a decimal'],
    ['an amount with an exponent', { amount: '1e3' }, 'amount must be a'],
    ['more decimals than the token has', { amount: '9.9999999' }, 'amount must have at most 6 decimal places'],
    ['less than a dollar', { amount: '0.99' }, `amount ${LEAST}`],
    ['less than the equivalent of a dollar', { amount: '0.92', currency: 'EUR' }, `amount ${LEAST}`],
    [
      'more than Solana can express',
      { amount: '18446744073710', acceptedTokens: ['usdc-solana'] },
      'amount is more than an amount on this chain can express',
    ],
    ['no token', { acceptedTokens: [] }, 'acceptedTokens must name at'],
    [
      'an unknown token',
      { acceptedTokens: ['usdc-local-evm', 'doge-moon'] },
      'acceptedTokens[1] is not a known token: "doge-moon"',
    ],
    [
      'a repeated token',
      { acceptedTokens: ['usdc-local-evm', 'usdc-base', 'usdc-local-evm'] },
      'acceptedTokens[2] repeats "usdc-local-evm"',
    ],
    ['an unknown currency', { currency: 'XAU' }, 'currency must be one of USD'],
    ['no billing', { billing: undefined }, 'billing is required'],
    ['an unknown type of billing', { billing: { type: 'weekly' } }, 'billing.type must be one of recurring, one_time'],
    ['recurring without an interval', { billing: RECURRING }, 'billing.interval is required for recurring billing'],
    [
      'an unknown interval',
      { billing: { ...RECURRING, interval: 'decade' } },
      'billing.interval must be one of day, week, month, year',
    ],
    [
      'too many intervals',
      { billing: { ...RECURRING, interval: 'day', intervalCount: 366 } },
      'billing.intervalCount must be an integer between 1 and 365',
    ],
    [
      'an interval of a one-time option',
      { billing: { ...ONE_TIME, interval: 'day' } },
      'billing.interval is for recurring billing only',
    ],
    ['a trial of a one-time option', { billing: ONE_TIME, trialDays: 3 }, 'trialDays is for recurring billing only'],
    ['a trial of more than two years', { trialDays: 731 }, 'trialDays must be'],
    ['no cycles', { maxCycles: 0 }, 'maxCycles must be an integer between 1'],
    ['half a cycle', { maxFailedCycles: 1.5 }, 'maxFailedCycles must be an'],
    [
      'a destination of another family',
      { merchantDestinationWallet: SOL_ALICE },
      'merchantDestinationWallet must be an address on a chain of the accepted tokens',
    ],
    [
      'a destination that is no address',
      { merchantDestinationWallet: { solana: ALICE } },
      'merchantDestinationWallet.solana must be a Solana address',
    ],
    [
      'a destination that is the token itself',
      { merchantDestinationWallet: `0x${'1'.padStart(40, '0')}` },
      'merchantDestinationWallet must not be the address of a token',
    ],
  ];

  const ofSplits: readonly (readonly [string, readonly object[], string])[] = [
    ['six rows', Array(6).fill(one), ' must have at most 5 rows'],
    ['a Solana address', [{ ...one, address: SOL_ALICE }], '[0].address must be an EVM address'],
    ['the address of a token', [{ ...one, address: USDC_BASE }], '[0].address must not be the address of a token'],
    ['a repeated address, whatever its case', [one, { ...one, address: BOB.toLowerCase() }], '[1].address repeats'],
    [
      'more than everything',
      [
        { address: BOB, percentage: '60' },
        { address: CAROL, percentage: '40.01' },
      ],
      ' must not sum up to more than 100 percent',
    ],
    [
      'three places',
      [{ ...one, percentage: '1.001' }],
      '[0].percentage must be a decimal string from "0" to "100" with at most 2 places',
    ],
    ['nothing', [{ ...one, percentage: '0' }], '[0].percentage must be more than 0'],
  ];

  async function expectRefused(change: object, message: string): Promise<void> {
    expectError(await create(offerBody(change)), 400, expect.stringContaining(message));
  }

  it.each(ofOffer)('refuses %s', (_what, change, message) => expectRefused(change, message));

  it.each(ofOption)('refuses %s', (_what, change, message) =>
    expectRefused({ pricing: [monthly(change)] }, `pricing[0].${message}`),
  );

  it.each(ofSplits)('refuses splits with %s', (_what, splitEvm, message) =>
    expectRefused({ splitEvm }, `splitEvm${message}`),
  );

  it('refuses a testnet token with a live key, and names it', async () => {
    const reply = await create(offerBody(), merchant.liveKey);
    expectError(
      reply,
      400,
      'pricing[0].acceptedTokens[0] is a testnet token, which a live key cannot use: "usdc-local-evm"',
    );
  });
});

describe('POST /offers 409', () => {
  it('refuses the identifier of another offer', async () => {
    await create(offerBody({ identifier: 'pro' }));
    const reply = await create(offerBody({ identifier: 'pro', idempotencyKey: 'another' }));
    expectError(reply, 409, 'An offer with the identifier "pro" already exists');
  });
});

describe('POST /offers 503', () => {
  it.each([
    ['an amount of nothing', [monthly({ currency: 'EUR', amount: '0.00' })], `pricing[0].amount ${LEAST}`],
    [
      'too little of a dollar',
      [monthly({ currency: 'EUR' }), monthly({ amount: '0.99' })],
      `pricing[1].amount ${LEAST}`,
    ],
    [
      'an unknown token of a later option',
      [monthly({ currency: 'EUR' }), monthly({ acceptedTokens: ['usdc-mars'] })],
      'pricing[1].acceptedTokens[0] is not a known token: "usdc-mars"',
    ],
  ])('does not answer %s', async (_what, pricing, error) => {
    http.rates = NO_RATES;
    expectError(await create(offerBody({ pricing })), 400, error);
  });

  it('answers with only an error that no rate is available', async () => {
    http.rates = staticRates({ GBP: '1.27' });
    const reply = await create(offerBody({ pricing: [monthly({ currency: 'EUR' })] }));
    expectError(reply, 503, 'The exchange rate of EUR is unavailable; retry shortly');
  });
});
