import { hexlify, randomBytes } from 'ethers';
import type { Json } from '../../machines/json.ts';
import { routerInterface } from '../../src/chains/evm/contracts/router.ts';
import type { Mandate, Outcome, RequestedAllowance, WaitsFor } from '../../src/checkout/wire.ts';
import { say, speak } from '../../web/i18n/say.ts';
import en from '../../web/messages/en.json' with { type: 'json' };
import { afterCompletionOf, withIds } from '../../web/pay/after-completion.ts';
import { chosenValue } from '../../web/pay/choice.ts';
import { collectErrors, collectedOf, collectFieldsOf } from '../../web/pay/collect.ts';
import { promiseOf } from '../../web/pay/enforcement.ts';
import { limitsOf } from '../../web/pay/limits.ts';
import { durationOf, firstChargeAt, type Order, summaryOf } from '../../web/pay/order.ts';
import { problemOf } from '../../web/pay/problem.ts';
import type { Purchase } from '../../web/pay/purchase.ts';
import { receiptOf } from '../../web/pay/receipt.ts';
import { sentenceFor } from '../../web/pay/sentences.ts';
import { agreementCall, approveCall, isRevokedIn, revokeCall } from '../../web/pay/wallets/calls.ts';
import { WalletError } from '../../web/pay/wallets/wallet-error.ts';
import { conditionsOf, namesOf, priceOf } from '../../web/pay/words.ts';
import { ApiError } from '../../web/ui/api-error.ts';
import { parseUnits } from '../../web/ui/sum.ts';

beforeAll(() => speak('en', en));

const PAY_TOKEN = {
  playing: { chainId: 31_337, label: 'Local EVM', tokenKey: 'usdc-local-evm', token: '0xA', decimals: 6 },
  chainFamily: 'evm',
  ticker: 'USDC',
  operator: '0x0000000000000000000000000000000000000b0b',
} as const;

const SUM = { lines: [], total: '120.00', totalBaseUnits: '120000000', least: '10.00', leastBaseUnits: '10000000' };

const ALLOWANCE: RequestedAllowance = {
  ...PAY_TOKEN,
  ...SUM,
  tokenKey: 'usdc-local-evm',
  chainId: 31_337,
  amount: '10.00',
  amountBaseUnits: '10000000',
};

function purchaseWith(outcome: Partial<Outcome>, change: Partial<Purchase> = {}): Purchase {
  const nothing = {
    waitsFor: null,
    subscription: null,
    payment: null,
    permit: null,
    afterCompletion: null,
    receiptPath: null,
  };
  return {
    kind: 'subscription',
    merchantName: 'Acme',
    offerName: 'Coffee Club',
    isSandbox: true,
    asked: ALLOWANCE,
    chain: null,
    permitToSign: null,
    mandate: null,
    outcome: { progress: 'waiting', ...nothing, ...outcome },
    ...change,
  };
}

const SUBSCRIPTION = {
  id: 'sub_1',
  allowanceConfirmed: true,
  payerWallet: '0xA',
  currentPeriodEnd: null,
  trialEnd: null,
  cyclesCompleted: 0,
  isMetered: false,
  discount: null,
} as const;

const PAYMENT = {
  id: 'pay_1',
  status: 'settled',
  amount: '10.00',
  failureReason: null,
  blockedReason: null,
  pullTxHash: null,
  explorerUrl: null,
  paidAt: null,
} as const;

describe('amounts', () => {
  it.each([
    ['25', 6, 25_000_000n],
    ['25.5', 6, 25_500_000n],
    [' 0,000001 ', 6, 1n],
    ['0.0000001', 6, null],
    ['-1', 6, null],
    ['1e3', 6, null],
    ['', 6, null],
    ['7', 0, 7n],
  ])('%j with %i decimals is %s', (text, decimals, units) => expect(parseUnits(text, decimals)).toBe(units));
});

describe('the approved amount', () => {
  it("is the sum, another number that covers the next charges, or the token's maximum", () => {
    const value = (choice: Parameters<typeof chosenValue>[0]) => chosenValue(choice, SUM, PAY_TOKEN);
    expect(value({ kind: 'asked' })).toEqual({ ok: true, value: 120_000_000n });
    expect(value({ kind: 'other', text: '10' })).toEqual({ ok: true, value: 10_000_000n });
    expect(value({ kind: 'other', text: '9.99' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('10.00 USDC'),
    });
    expect(value({ kind: 'other', text: 'all' })).toMatchObject({ ok: false });
    expect(value({ kind: 'unlimited' })).toEqual({ ok: true, value: 2n ** 256n - 1n });
    const solana = chosenValue({ kind: 'unlimited' }, SUM, { ...PAY_TOKEN, chainFamily: 'solana' });
    expect(solana).toEqual({ ok: true, value: 2n ** 64n - 1n });
  });

  it('is a call that anybody can compare', () => {
    expect(approveCall(PAY_TOKEN.operator, 0n)).toBe(`0x095ea7b3${'b0b'.padStart(64, '0')}${'0'.repeat(64)}`);
    expect(approveCall(PAY_TOKEN.operator, 255n)).toMatch(/ff$/);
  });
});

describe('the end of an agreement', () => {
  it('is a call of the router that anybody can compare', () => {
    const [merchant, agreement] = [hexlify(randomBytes(32)), hexlify(randomBytes(32))];
    expect(revokeCall(merchant, agreement)).toBe(routerInterface.encodeFunctionData('revoke', [merchant, agreement]));
    const asked = [PAY_TOKEN.operator, merchant, agreement];
    expect(agreementCall(PAY_TOKEN.operator, merchant, agreement)).toBe(
      routerInterface.encodeFunctionData('agreementOf', asked),
    );
    const state = (issuedAt: bigint) => routerInterface.encodeFunctionResult('agreementOf', [issuedAt, 5n, 1n, 1n]);
    expect([isRevokedIn(state(2n ** 40n - 1n)), isRevokedIn(state(1_790_000_000n)), isRevokedIn('0x')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

const MANDATE: Mandate = {
  payer: '0xA',
  perCharge: '10.00',
  perChargeBaseUnits: '10000000',
  per30Days: null,
  charges: null,
  intervalSeconds: null,
  intervalMonths: 1,
  startsAt: null,
  endsAt: null,
  payees: ['0xB'],
  platform: { wallet: '0xC', feeBps: 150 },
  contract: { router: '0xD', merchant: '0xE', agreement: '0xF' },
};
const ONCE: Mandate = { ...MANDATE, charges: 1, intervalMonths: null, endsAt: '2030-02-01T00:00:00.000Z' };

describe('the limits that a payer signs', () => {
  const said = (mandate: Mandate) =>
    Object.fromEntries(limitsOf(mandate, 'USDC').map(({ title, text, addresses }) => [title, [text, ...addresses]]));

  it('are shown in plain words', () => {
    expect(said(MANDATE)).toEqual({
      'Most for one charge': ['10.00 USDC'],
      'How often': ['Every month. A charge can be at most 8 days early'],
      'How many charges': ['No limit, until you end it'],
      From: ['Now'],
      Until: ['No end, until you end it'],
      'Who receives it': ['', '0xB'],
      'Fee of the platform': ['At most 1.5% of each charge, paid to', '0xC'],
    });
    expect(said({ ...MANDATE, intervalSeconds: 86_400, intervalMonths: null })['How often']).toEqual([
      'Every 1 day. A charge can be at most 1 day early',
    ]);
    expect(said({ ...MANDATE, per30Days: '40.00', intervalMonths: null })).toMatchObject({
      'Most for any 30 days': ['40.00 USDC'],
      'How often': ['Whenever enough is used, and after each period'],
    });
    expect(said(ONCE)).toMatchObject({
      'How often': ['Once'],
      'How many charges': ['At most 1 charge'],
      Until: [expect.stringContaining('2030')],
    });
    expect(said({ ...MANDATE, intervalMonths: null, platform: null })).toMatchObject({
      'How often': ['No limit, because this is a test'],
      'Fee of the platform': ['None'],
    });
  });

  it('are promised only where and as far as somebody keeps them', () => {
    const [recurring, once, test] = [MANDATE, ONCE, { ...MANDATE, intervalMonths: null }];
    expect(say(promiseOf(recurring, 'evm'))).toMatch(
      /a contract on the chain keeps them: .*one charge ahead of the rhythm/,
    );
    expect(say(promiseOf({ ...test, per30Days: '40.00' }, 'evm'))).toContain(
      'never more than the most for any 30 days',
    );
    expect(say(promiseOf(once, 'evm'))).toMatch(/one charge only/);
    for (const each of [once, test]) expect(say(promiseOf(each, 'evm'))).not.toContain('rhythm');
    expect(say(promiseOf({ ...recurring, contract: null }, 'solana'))).toBe(
      'The service checks the limits that you sign before each charge. The chain does not check them.',
    );
  });
});

describe('the free-form maps of an offer', () => {
  it('request the named fields, in each of the forms', () => {
    const asked = { email: true, phone: 'optional', shirtSize: { label: 'Your size', required: false }, no: false };
    const fields = collectFieldsOf(asked);
    expect(fields.map(({ name, label, type, required }) => [name, label, type, required])).toEqual([
      ['email', 'Email', 'email', true],
      ['phone', 'Phone (optional)', 'tel', false],
      ['shirtSize', 'Your size (optional)', 'text', false],
    ]);
    expect(collectErrors(fields, {})).toEqual({ email: 'Email is needed.' });
    expect(collectErrors(fields, { email: 'ada' })).toEqual({ email: 'This is not an email address.' });
    expect(collectedOf(fields, { email: ' ada@example.com ', phone: '', other: 'x' })).toEqual({
      email: 'ada@example.com',
    });
  });

  it('lead only to web addresses afterwards', () => {
    const hrefOf = (redirect: Json) => afterCompletionOf({ redirect }).redirect?.href ?? null;
    expect(hrefOf('https://shop.example/thanks')).toBe('https://shop.example/thanks');
    for (const wrong of ['javascript:alert(1)', 'data:text/html,x', '/thanks', 5, null])
      expect(hrefOf(wrong)).toBeNull();
    expect(afterCompletionOf({ message: 'Thanks' })).toEqual({ message: 'Thanks', redirect: null });
    expect(afterCompletionOf(null)).toEqual({ message: null, redirect: null });
  });
});

const METERED = {
  currency: 'USD',
  tiers: [
    { above: 1_000, amount: '0.01' },
    { above: 5_000, amount: '0.008' },
  ],
  capAmount: '50.00',
  aboveCap: 'carry',
} as const;

describe('prices', () => {
  it('are shown in everyday words', () => {
    const billing = { type: 'recurring', interval: 'month', intervalCount: 3 } as const;
    const price = { amount: '9.90', currency: 'USD', billing, units: null, metered: null };
    expect(priceOf(price)).toBe('9.90 USD every 3 months');
    expect(priceOf({ ...price, billing: { ...billing, type: 'one_time' } })).toBe('9.90 USD');
    const units = { quantity: 2, min: 2, max: 10, changedBy: 'merchant' } as const;
    expect(priceOf({ ...price, units })).toBe('2 × 9.90 USD every 3 months');
    expect(priceOf({ ...price, units: { ...units, changedBy: 'customer' } })).toBe('9.90 USD per unit every 3 months');
    const none = { trialDays: null, maxCycles: null, metered: null };
    expect(conditionsOf({ ...none, trialDays: 14, maxCycles: 1 })).toEqual([
      'the first 14 days free',
      'ends after 1 payment',
    ]);
    expect(conditionsOf({ ...none, trialDays: 0 })).toEqual([]);
    expect(priceOf({ ...price, metered: METERED })).toBe('0.01 USD per unit used, charged every 3 months');
    expect(conditionsOf({ ...none, maxCycles: 12, metered: METERED })).toEqual([
      'the first 1,000 units of each period included',
      '0.008 USD per unit above 5,000',
      'at most 50.00 USD a charge, and the next charge takes the rest',
      'ends after 12 payments',
    ]);
    const early = { ...METERED, thresholdAmount: '20.00', windowCapAmount: '200.00' };
    expect(conditionsOf({ ...none, metered: early })).toContain(
      'charged as soon as 20.00 USD is used, at most 200.00 USD in any 30 days',
    );
    const bare = { ...METERED, tiers: [{ above: 0, amount: '0.01' }], aboveCap: 'refuse' } as const;
    // The days until its first charge are no trial.
    expect(conditionsOf({ trialDays: 3, maxCycles: null, metered: bare })).toEqual([
      'at most 50.00 USD a charge, and no use above it',
    ]);
  });
});

describe('the names of prices', () => {
  const token = {
    tokenKey: 'usdc-base',
    ticker: 'USDC',
    chainId: 8453,
    chainLabel: 'Base',
    chainFamily: 'evm',
  } as const;
  const accepted = { ...token, amount: '9.90', enabled: true, playing: null, operator: null, amountBaseUnits: null };
  const billing = { type: 'recurring', interval: 'month', intervalCount: 1 } as const;
  const option = (change: object = {}) => ({
    id: 'price_1',
    label: null,
    amount: '9.90',
    currency: 'USD',
    billing,
    trialDays: null,
    maxCycles: null,
    units: null,
    metered: null,
    acceptedTokens: [accepted],
    ...change,
  });
  const once = { billing: { type: 'one_time', interval: null, intervalCount: null } };

  it('are the labels of the merchant, or the kinds', () => {
    expect(namesOf([option(), option(once), option({ label: 'Large' })])).toEqual(['Subscription', 'Once', 'Large']);
  });

  it.each([
    ['every month', 'every year', { billing: { ...billing, interval: 'year' } }],
    ['9.90 USD every month', '99.00 USD every month', { amount: '99.00' }],
    ['1', '2', {}],
  ])('differ by what tells the prices apart: %s, %s', (first, second, change) => {
    const names = namesOf([option(), option(change), option(once)]);
    expect(names).toEqual([`Subscription, ${first}`, `Subscription, ${second}`, 'Once']);
  });

  it('name a trial where only one price has it', () => {
    const names = namesOf([option({ label: 'Beans', trialDays: 3 }), option({ label: 'Beans' })]);
    expect(names).toEqual(['Beans, the first 3 days free', 'Beans']);
  });
});

describe('the sentence of a page', () => {
  const WAITS: readonly WaitsFor[] = [
    ...(['allowance', 'signature', 'balance', 'deposit', 'next_attempt', 'chain'] as const),
    ...(['no_payout_wallet', 'not_enabled', 'sold_out', 'merchant_suspended'] as const),
  ];

  it.each(WAITS)('says what to do while it waits for %s', (waitsFor) => {
    const { title, text } = sentenceFor(purchaseWith({ waitsFor }));
    expect(title).not.toBe('');
    expect(text).toMatch(/\.$/);
    expect(`${title} ${text}`).not.toMatch(/undefined|null/);
  });

  it('does not claim that nothing was charged if it was paid before', () => {
    const subscription = { ...SUBSCRIPTION, status: 'past_due', cyclesCompleted: 3 } as const;
    for (const waitsFor of WAITS.filter((each) => each !== 'sold_out'))
      expect(sentenceFor(purchaseWith({ waitsFor, subscription })).text).not.toContain('Nothing has been charged');
  });

  it('distinguishes a trial, a payment, new terms and a subscription', () => {
    const active = { progress: 'completed', subscription: { ...SUBSCRIPTION, status: 'active' } } as const;
    const trial = { ...SUBSCRIPTION, status: 'pending', trialEnd: '2030-02-01T00:00:00Z' } as const;
    expect(sentenceFor(purchaseWith(active)).title).toBe('Your subscription is active');
    expect(sentenceFor(purchaseWith(active, { kind: 'migration' })).title).toBe('The new terms are agreed');
    expect(sentenceFor(purchaseWith({ progress: 'completed', subscription: trial })).title).toBe(
      'Your trial has begun',
    );
    const metered = sentenceFor(purchaseWith({ progress: 'completed', subscription: { ...trial, isMetered: true } }));
    expect(metered.title).toBe('You have subscribed');
    expect(metered.text).toMatch(/^Nothing has been charged\. .* until February 1, 2030 is charged then\.$/);
    expect(sentenceFor(purchaseWith({ progress: 'completed' }, { kind: 'payment' })).title).toBe('Paid');
  });

  it('says that this wallet pays for an existing subscription only if it does', () => {
    const active = { progress: 'completed', subscription: { ...SUBSCRIPTION, status: 'active' } } as const;
    const textFor = (wallet: string) => sentenceFor(purchaseWith(active, { isExisting: true, wallet })).text;
    expect(textFor('0xA')).toContain('This wallet pays for it from now on');
    expect(textFor('0xB')).not.toContain('This wallet pays');
    // It was not paid before this visit.
    const paid = { ...active, payment: { ...PAYMENT, status: 'settled' } } as const;
    expect(sentenceFor(purchaseWith(paid, { isExisting: true })).title).toBe('Your subscription is active');
  });

  it('gives the reason of its end', () => {
    const payment = { ...PAYMENT, status: 'failed', failureReason: 'pull_reverted' } as const;
    const failed = { progress: 'ended', payment } as const;
    expect(sentenceFor(purchaseWith(failed, { kind: 'payment' }))).toMatchObject({
      tone: 'bad',
      text: expect.stringContaining('The token refused the charge'),
    });
    const canceled = { progress: 'ended', subscription: { ...SUBSCRIPTION, status: 'canceled' } } as const;
    expect(sentenceFor(purchaseWith(canceled)).title).toBe('This subscription has ended');
  });
});

describe('the error on a page', () => {
  it.each([
    [new WalletError('rejected', 'x'), 'Declined in your wallet', 'Nothing has been charged.'],
    [new WalletError('failed', 'insufficient funds'), 'Your wallet could not do it', 'Insufficient funds. Nothing'],
    [new ApiError(0, 'gone'), 'No connection', 'Check the connection'],
    [
      new ApiError(400, 'The merchant has no payout wallet for USDC yet'),
      'This cannot be paid yet',
      'yet, so nobody can sign up. Nothing has',
    ],
    [new ApiError(400, 'The offer is sold out'), 'Not accepted', 'The offer is sold out.'],
    [new ApiError(400, 'nobody knows this one'), 'Not accepted', 'Nobody knows this one.'],
    [new ApiError(429, 'slow', 12), 'Too many requests', 'Please try again in 12 seconds.'],
    [
      new ApiError(429, 'Rate limit exceeded: too many one-time payments of this wallet today. Try again tomorrow', 7),
      'Not today',
      'There were too many one-time payments of this wallet today. Try again tomorrow.',
    ],
    [new ApiError(500, 'Internal error'), 'The service has a problem', 'try again'],
    [new TypeError('x is not a function'), 'That did not work', 'Reload the page'],
  ])('%s is in words for people', (error, title, text) => {
    expect(problemOf(error)).toMatchObject({ title, text: expect.stringContaining(text) });
  });
});

describe('an order', () => {
  const NOW = '2026-01-31T10:00:00.000Z';
  const TRIAL = { firstAt: '2026-02-14T10:00:00.000Z' };
  const order: Order = {
    price: { amount: '10.00', currency: 'USD' },
    charge: { amount: '10.00', ticker: 'USDC' },
    every: { interval: 'month', count: 1 },
    firstAt: null,
    maxCycles: null,
    discount: null,
    units: null,
    most: null,
  };

  it.each([
    ['once', { every: null }, '10.00 USDC', null],
    ['a month', {}, '10.00 USDC', 'then 10.00 USDC on February 28, 2026 and every month'],
    ['with a trial', TRIAL, '0.00 USDC', 'then 10.00 USDC on February 14, 2026 and every month'],
    ['one cycle', { maxCycles: 1 }, '10.00 USDC', null],
    ['two cycles', { maxCycles: 2 }, '10.00 USDC', 'then 10.00 USDC on February 28, 2026'],
    [
      'four cycles',
      { maxCycles: 4 },
      '10.00 USDC',
      'then 10.00 USDC on February 28, 2026 and every month, 4 charges in all',
    ],
    ['a trial and one cycle', { ...TRIAL, maxCycles: 1 }, '0.00 USDC', 'then 10.00 USDC on February 14, 2026'],
    ['a trial that is over', { firstAt: '2026-01-30T10:00:00.000Z', every: null }, '10.00 USDC', null],
  ] as const)('names the charge of today and the next one: %s', (_what, change, today, later) => {
    expect(summaryOf({ ...order, ...change }, NOW)).toEqual({ today, later, price: null, discount: null, units: null });
  });

  it.each([
    ['7.50', 1, 'the next charge', 'then 10.00 USDC on February 28, 2026 and every month'],
    ['7.50', 3, 'the next 3 charges', 'then 7.50 USDC on February 28, 2026 and every month'],
    ['0.00', 2, 'the next 2 charges', 'then 10.00 USDC on March 28, 2026 and every month'],
    ['0.00', null, 'each charge', null],
  ])('names what a discount leaves: %s for %s cycles', (charge, cyclesLeft, which, later) => {
    const of = { couponId: 'cpn_1', code: 'WELCOME', percentOff: '25', amountOff: null };
    const shown = { today: `${charge} USDC`, later, discount: `25% off ${which}; full price 10.00 USDC` };
    expect(summaryOf({ ...order, discount: { ...of, charge, cyclesLeft } }, NOW)).toMatchObject(shown);
  });

  it('has separators for thousands, and the rate of another currency', () => {
    const charge = { amount: '1082500.123456', ticker: 'USDC' };
    const price = { amount: '1000000.00', currency: 'EUR' };
    expect(summaryOf({ ...order, price, charge, every: null }, NOW)).toEqual({
      today: '1,082,500.123456 USDC',
      later: null,
      price: '1,000,000.00 EUR at 1.0825 USDC for 1 EUR',
      discount: null,
      units: null,
    });
  });

  it('has the units, their price, and the most that another quantity costs', () => {
    const bought = {
      ...order,
      price: { amount: '0.05', currency: 'EUR' },
      charge: { amount: '0.162', ticker: 'USDC' },
    };
    expect(summaryOf({ ...bought, every: null, units: { quantity: 3, max: 1_000 } }, NOW)).toMatchObject({
      price: '0.15 EUR at 1.08 USDC for 1 EUR',
      units: '3 × 0.05 EUR; later at most 50.00 EUR a charge, 1000 × 0.05 EUR',
    });
  });

  it('says of a metered price that nothing is charged now, and the most of each charge', () => {
    const most = { amount: '54.00', ticker: 'USDC' };
    const metered = { ...order, price: { amount: '50.00', currency: 'EUR' }, charge: most, most };
    const later = 'then what you have used, at most 54.00 USDC a charge: first on February 28, 2026, then every month';
    const firstAt = firstChargeAt(null, order.every, NOW);
    expect(summaryOf({ ...metered, firstAt }, NOW)).toEqual({
      ...{ today: '0.00 USDC', later, discount: null },
      ...{ units: 'nothing is charged now', price: '50.00 EUR at 1.08 USDC for 1 EUR' },
    });
    const early = { ...metered, firstAt, threshold: { amount: '20.00', currency: 'USD' } };
    expect(summaryOf(early, NOW).later).toBe(
      'then what you have used, at most 54.00 USDC a charge: as soon as 20.00 USD is used, else first on February 28, 2026, then every month',
    );
    const due = { amount: '12.00', ticker: 'USDC' };
    expect(summaryOf({ ...metered, charge: due }, NOW)).toMatchObject({ today: '12.00 USDC', later, units: null });
  });

  it.each([
    [12, 'month', 1, '1 year'],
    [18, 'month', 1, '18 months'],
    [3, 'year', 1, '3 years'],
    [26, 'week', 2, '52 weeks'],
  ] as const)('says how long %s charges last: every %s × %s', (cycles, interval, count, text) => {
    expect(durationOf(cycles, { interval, count })).toBe(text);
  });
});

describe('a receipt', () => {
  it('has the charge and the next one; nothing is paid in a trial', () => {
    const payment = { ...PAYMENT, pullTxHash: '0xabc', paidAt: '2026-02-14T10:00:00.000Z' } as const;
    const subscription = { ...SUBSCRIPTION, status: 'active', currentPeriodEnd: '2026-03-14T10:00:00.000Z' } as const;
    const both = { paid: payment, nextAt: '2026-03-14T10:00:00.000Z' };
    expect(receiptOf(purchaseWith({ progress: 'completed', payment, subscription }))).toEqual(both);
    const trial = { ...SUBSCRIPTION, status: 'pending', trialEnd: '2026-02-28T10:00:00.000Z' } as const;
    const nothing = { paid: null, nextAt: '2026-02-28T10:00:00.000Z' };
    expect(receiptOf(purchaseWith({ progress: 'completed', subscription: trial }))).toEqual(nothing);
  });

  it('gives the ids to the page that follows, and keeps its own parameters', () => {
    const url = withIds(new URL('https://shop.example/thanks?order=7'), { subscriptionId: 'sub_1', paymentId: null });
    expect(url.href).toBe('https://shop.example/thanks?order=7&subscriptionId=sub_1');
  });
});
