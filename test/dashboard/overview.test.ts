import { type AlertFacts, alertsOf } from '../../src/dashboard/alerts.ts';
import { figuresOf } from '../../src/dashboard/figures.ts';
import { overviewSchema } from '../../src/dashboard/wire.ts';
import { newId } from '../../src/store/ids.ts';
import { event } from '../store/support/documents.ts';
import { BOB, offerBody } from '../support/bodies.ts';
import { useHttp } from '../support/http.ts';
import { signedIn } from './support.ts';

const http = useHttp();

const NOW = new Date('2030-01-15T10:00:00.000Z');
const EARLIER = new Date('2030-01-01T00:00:00.000Z');

const option = {
  ...{ id: 'price_1', label: null, amount: '9.90', currency: 'USD', trialDays: null, maxCycles: null },
  ...{ maxFailedCycles: null, merchantDestinationWallet: null, active: true },
  billing: { type: 'recurring', interval: 'month', intervalCount: 1 },
  acceptedTokens: [{ tokenKey: 'usdc-base', chainId: 8453, amountBaseUnits: '9900000' }],
} as const;

const SOUND: AlertFacts = {
  ...{ mode: 'live', now: NOW, failed: 0, retrying: 0 },
  offers: [{ pricing: [option] }],
  wallets: [{ tokenKey: 'usdc-base' }],
  keys: [{ createdAt: EARLIER, lastUsedAt: NOW }],
  enabled: new Map([['usdc-base', 'USDC on Base']]),
  tokenText: (tokenKey) => `<${tokenKey}>`,
};

function alerts(change: Partial<AlertFacts>) {
  return alertsOf({ ...SOUND, ...change }).map(({ name, text, page, query }) => [name, text, page, query]);
}

describe('what needs an owner', () => {
  it('is nothing while all is well', () => {
    expect(alerts({})).toEqual([]);
    expect(alerts({ offers: [], wallets: [], keys: [] })).toEqual([]);
  });

  it('is an endpoint that does not take its events', () => {
    const [failed, retrying] = [{ delivery: 'failed' }, { delivery: 'retrying' }];
    const text = 'Given up after six attempts: 122 events. To be tried again: 1 event. Until they';
    expect(alerts({ failed: 122, retrying: 1 })).toEqual([
      ['endpoint', expect.stringContaining(text), 'developers', failed],
    ]);
    expect(alerts({ retrying: 2 })).toEqual([
      ['endpoint', expect.stringMatching(/^To be tried again: 2 events\./), 'developers', retrying],
    ]);
    expect(alerts({ failed: 1_001 })).toEqual([
      ['endpoint', expect.stringContaining('more than 1000 events'), 'developers', failed],
    ]);
  });

  it('is a token without a payout wallet, and not one that an offer pays elsewhere or no longer sells', () => {
    const text = 'Nobody can pay your offers with <usdc-base>.';
    expect(alerts({ wallets: [] })).toEqual([['wallet', text, 'settings', {}]]);
    const elsewhere = { ...option, merchantDestinationWallet: { evm: BOB, solana: null } };
    const retired = { ...option, active: false };
    expect(alerts({ wallets: [], offers: [{ pricing: [elsewhere, retired] }] })).toEqual([]);
  });

  it('is a token that the operator has not enabled, whose wallet is no matter', () => {
    expect(alerts({ enabled: new Map(), wallets: [] })).toEqual([
      ['token', expect.stringContaining('<usdc-base> until the operator'), 'offers', {}],
    ]);
  });

  it('is an API key that nobody uses, after a day', () => {
    const unused = { createdAt: EARLIER };
    expect(alerts({ keys: [unused] })).toEqual([['key', expect.any(String), 'developers', {}]]);
    expect(alerts({ keys: [unused, { createdAt: EARLIER, lastUsedAt: NOW }] })).toEqual([]);
    expect(alerts({ keys: [{ createdAt: NOW }] })).toEqual([]);
  });
});

describe('the figures', () => {
  it('add up the tokens of one ticker, exactly, and the counts of all periods', () => {
    const none = { count: 0, amount: '0.00' };
    const period = (tokenKey: string, amount: string, failed: number) => ({
      ...{ start: EARLIER, offerId: null, tokenKey, recovered: none, refunded: none },
      ...{ newSubscriptions: 2, endedSubscriptions: 1 },
      ...{ settled: { count: 1, amount }, failed: { count: failed, amount: '1.00' } },
    });
    const periods = [period('usdc-a', '0.1', 1), period('usdc-b', '0.200000000000000001', 0), period('eurc', '5', 0)];
    const recurring = [{ offerId: null, tokenKey: 'eurc', subscriptions: 3, monthlyAmount: '15.00' }];
    const atRisk = { approval_missing: 4, balance_missing: 0 };
    const figures = figuresOf({ recurring, periods }, atRisk, (tokenKey) => tokenKey.slice(0, 4).toUpperCase());
    expect(figures.map(({ name, amounts, count, isBad }) => [name, amounts ?? count, isBad])).toEqual([
      [
        'Paid, before fees',
        [
          { ticker: 'EURC', amount: '5.00' },
          { ticker: 'USDC', amount: '0.300000000000000001' },
        ],
        false,
      ],
      ['Recurring, a month', [{ ticker: 'EURC', amount: '15.00' }], false],
      ['New subscriptions', 6, false],
      ['Ended subscriptions', 3, false],
      ['Failed payments', 1, true],
      ['At risk: approval missing', 4, true],
      ['At risk: balance missing', 0, false],
    ]);
  });
});

describe('GET /overview', () => {
  it('is of one environment: its events, its chains, and what its tokens need', async () => {
    const shop = await http.merchant();
    const viewer = await signedIn(http, shop, 'viewer');
    const of = async (mode: 'test' | 'live') =>
      overviewSchema.parse((await viewer.call('GET', `/overview?mode=${mode}`)).body);
    const [, test] = await Promise.all([of('live'), of('test')]);
    expect(test.alerts).toEqual([]);
    expect(test.tokens).toContainEqual({ key: 'usdc-base', text: 'USDC on Base', hasWallet: false, offers: 0 });

    await http.call('POST', '/wallets', { key: shop.testKey, body: { tokenKey: 'usdc-base', receiverWallet: BOB } });
    const pricing = [{ amount: '9.90', acceptedTokens: ['usdc-base'], billing: { type: 'one_time' } }];
    await http.call('POST', '/offers', { key: shop.testKey, body: offerBody({ pricing }) });
    const lost = { merchantId: shop.merchant._id, mode: 'live', status: 'failed' } as const;
    await http.store.records.insert('events', [event({ ...lost, _id: newId('evt', http.now) })]);
    expect((await of('test')).alerts).toEqual([]);
    const tokens = (await of('test')).tokens.filter(({ key }) => key === 'usdc-base');
    expect(tokens).toMatchObject([{ hasWallet: true, offers: 1 }]);

    const live = await of('live');
    expect(live.alerts.map(({ name }) => name)).toEqual(['endpoint']);
    expect(live.tokens).toEqual([]);
    expect(live.closedChains).toContain('Base');
    expect((await viewer.call('GET', '/overview')).status).toBe(400);
  });
});
