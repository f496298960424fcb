import { Interface, Wallet } from 'ethers';
import { z } from 'zod';
import { type EventOf, MACHINES } from '../../machines/versions.ts';
import { type DevnetFacts, devnetFacts, tokenNamed, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { advance } from '../../src/engine/advance.ts';
import { journaledKinds, replayAll } from '../../src/engine/replay-stored.ts';
import { subscriptionContextOf } from '../../src/model/subscription.ts';
import { newId } from '../../src/store/ids.ts';
import type { Store } from '../../src/store/port.ts';
import { connectTo } from '../../stage/connect.ts';
import type { Answer, MerchantClient } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { PLAYING_TOKEN_KEY, TOKEN_KEY } from '../../stage/sale.ts';
import { until } from '../../stage/until.ts';
import { useGround } from '../support/ground.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { startServiceProcess } from '../support/service.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';

/** The effects of a payer's acts on the chain on a subscription, against one real process with database and chain. */
let service: ServiceProcess;
let facts: DevnetFacts;
let store: Store;
let receiver: Receiver;

const ground = useGround(async (opened) => {
  service = await startServiceProcess({ dataDir: opened.dataDir });
  opened.onStop(() => service.stop());
  facts = await devnetFacts(service);
  receiver = await openReceiver();
  opened.onStop(() => receiver.close());
  store = await opened.openStore();
});

const withId = z.object({ id: z.string() });
const offer = z.object({ id: z.string(), pricing: z.array(withId) });

interface Shop {
  readonly merchant: MerchantClient;
  /** Monthly 5.00, yearly 8.00, monthly 9.00 in another token, daily 1.00. */
  readonly monthly: string;
  readonly yearly: string;
  readonly other: string;
  readonly daily: string;
}

/** After a failed attempt, nobody checks by the clock before this (`src/billing/allowances/watching.ts`). */
const FIRST_TIMED_CHECK_MS = 15_000;

const OTHER_TOKEN_KEY = 'usdt-ethereum';
const OTHER_PLAYING_TOKEN_KEY = 'usdt-local-evm';

async function openShop(): Promise<Shop> {
  const merchant = await createTestMerchant(() => service, ground.dataDir);
  await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url, extraEvents: true });
  const receiverWallet = walletNamed(facts, 'merchant').address;
  for (const tokenKey of [TOKEN_KEY, OTHER_TOKEN_KEY]) {
    await merchant.call('POST', '/wallets', { tokenKey, receiverWallet });
  }
  const option = (amount: string, interval: string, token = TOKEN_KEY) => ({
    amount,
    acceptedTokens: [token],
    billing: { type: 'recurring', interval },
  });
  const pricing = [
    option('5.00', 'month'),
    option('8.00', 'year'),
    option('9.00', 'month', OTHER_TOKEN_KEY),
    option('1.00', 'day'),
  ];
  const made = offer.parse(await merchant.call('POST', '/offers', { name: 'Plans', pricing }));
  const [monthly, yearly, other, daily] = made.pricing.map(({ id }) => id);
  if (!monthly || !yearly || !other || !daily) throw new Error('four prices were expected');
  return { merchant, monthly, yearly, other, daily };
}

/** A subscription of this test wallet. */
async function subscribe({ merchant }: Shop, priceId: string, wallet: string): Promise<string> {
  const wallets = [{ chainFamily: 'evm', address: walletNamed(facts, wallet).address }];
  const { customers } = await merchant.call('GET', `/customers?walletAddress=${wallets[0]?.address}`);
  const [known] = z.array(withId).parse(customers);
  const customer = known ?? withId.parse(await merchant.call('POST', '/customers', { wallets }));
  return withId.parse(await merchant.call('POST', '/subscriptions', { priceId, customerId: customer.id })).id;
}

/** The same, paid once. */
async function subscribed(shop: Shop, priceId: string, wallet: string): Promise<string> {
  const id = await subscribe(shop, priceId, wallet);
  await until(
    `${id} is active`,
    () => view(shop, id),
    ({ status }) => status === 'active',
  );
  return id;
}

async function view({ merchant }: Shop, id: string): Promise<Answer> {
  return merchant.call('GET', `/subscriptions/${id}`);
}

/** The subscription in GET /subscriptions. */
async function shown({ merchant }: Shop, id: string): Promise<Answer> {
  const { subscriptions } = await merchant.call('GET', '/subscriptions?limit=100');
  return (
    z
      .array(z.looseObject({ id: z.string() }))
      .parse(subscriptions)
      .find((each) => each.id === id) ?? {}
  );
}

async function move({ merchant }: Shop, subscriptionId: string, to: object = {}): Promise<Answer> {
  return merchant.call('POST', '/sandbox/advance', { subscriptionId, ...to });
}

const erc20 = new Interface([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
]);
const currencies = z.object({ chains: z.array(z.object({ operator: z.string().nullable() })) });

/** A test wallet's call of a token. Resolves when it is in a block. */
async function sends(wallet: string, data: string, token = PLAYING_TOKEN_KEY): Promise<void> {
  const provider = connectTo(facts);
  try {
    const signer = new Wallet(walletNamed(facts, wallet).privateKey, provider);
    const sent = await signer.sendTransaction({ to: tokenNamed(facts, token), data });
    await receiptOf(provider, sent.hash);
  } finally {
    provider.destroy();
  }
}

/** Sets this test wallet's allowance for the merchant's operator, base units. */
async function allows({ merchant }: Shop, wallet: string, amount: bigint, token = PLAYING_TOKEN_KEY): Promise<void> {
  const { chains } = currencies.parse(await merchant.call('GET', '/currencies'));
  const operator = chains.find((chain) => chain.operator?.startsWith('0x'))?.operator;
  await sends(wallet, erc20.encodeFunctionData('approve', [operator, amount]), token);
}

async function pays(wallet: string, to: string, amount: bigint): Promise<void> {
  await sends(wallet, erc20.encodeFunctionData('transfer', [walletNamed(facts, to).address, amount]));
}

/** Sends an event to a subscription as another process of the service; its effects are left to the service. */
async function send(id: string, event: EventOf<'subscription'>): Promise<void> {
  for (;;) {
    const [doc] = await store.actors.load('subscription', [id]);
    if (!doc) throw new Error(`${id} is not stored`);
    const [now, op] = [new Date(), newId('op', new Date())];
    const taking = { op, now, admits: () => true, writes: {} };
    const taken = advance(MACHINES, doc, { event, by: 'test', sender: null }, taking);
    if (taken.outcome !== 'taken') throw new Error(`${event.type}: ${taken.outcome}`);
    const { rev, machineVersion, value, context, status, wakeAt, clockOffsetMs, eventSeq, updatedAt } = taken.doc;
    const set = { rev, machineVersion, value, context, status, wakeAt, clockOffsetMs, eventSeq, updatedAt };
    const journal = taken.doc.journal.slice(doc.journal.length);
    const commit = { id, seenRev: doc.rev, op, set, journal, effects: taken.items, relayAt: now };
    const [verdict] = await store.actors.commit('subscription', [commit]);
    if (verdict === 'applied') return;
  }
}

async function signs(id: string, wallet: string): Promise<void> {
  await send(id, { type: 'migration.signed', wallet: walletNamed(facts, wallet).address });
}

/** Waits until the migration is signed and covered, before its boundary. */
async function authorized(id: string): Promise<void> {
  await until(
    `the migration of ${id} is covered`,
    async () => (await store.actors.load('subscription', [id])).map(subscriptionContextOf)[0],
    (context) => context?.migration?.covered === true,
  );
}

/** The events of a subscription in order, when the last one has come so often. */
async function reported(id: string, last: string, times = 1): Promise<{ event: string; data: Answer }[]> {
  const about = () =>
    receiver.received
      .map(({ envelope }) => ({ event: envelope.event, sequence: envelope.sequence, data: dataOf(envelope) }))
      .filter(({ data }) => data['subscriptionId'] === id);
  while (about().filter(({ event }) => event === last).length < times) {
    await receiver.got(receiver.received.length + 1);
  }
  return about().sort((one, other) => one.sequence - other.sequence);
}

function dataOf(envelope: { readonly [more: string]: unknown }): Answer {
  return z.record(z.string(), z.unknown()).parse(envelope['data']);
}

function plus(moment: unknown, change: (date: Date) => void): string {
  const date = new Date(String(moment));
  change(date);
  return date.toISOString();
}

describe('migrate', () => {
  it('of a pending subscription is in force at once, when the payer has signed and approved', async () => {
    const shop = await openShop();
    const id = await subscribe(shop, shop.monthly, 'payer-1');
    await shop.merchant.call('POST', `/subscriptions/${id}/migrate`, { priceId: shop.yearly });
    await signs(id, 'payer-1');
    expect(await shown(shop, id)).toMatchObject({ offerPriceId: shop.monthly, pendingOfferPriceId: shop.yearly });
    await allows(shop, 'payer-1', 8_000_000n);
    await until(
      `${id} is active`,
      () => view(shop, id),
      ({ status }) => status === 'active',
    );
    expect(await shown(shop, id)).toMatchObject({
      offerPriceId: shop.yearly,
      pendingOfferPriceId: null,
      priceAmount: '8.00',
      cyclesCompleted: 1,
    });
    expect(await view(shop, id)).toMatchObject({ lastInvoice: { grossAmount: '8.00', status: 'settled' } });
    const events = (await reported(id, 'subscription.active')).map(({ event }) => event);
    expect(events).toEqual([
      'subscription.created',
      'subscription.migrated',
      'payment.pulled',
      'payment.succeeded',
      'subscription.active',
    ]);
  });

  it('of an active one waits for the boundary, from which its periods count', async () => {
    const shop = await openShop();
    const id = await subscribed(shop, shop.monthly, 'approved');
    const before = await view(shop, id);
    const boundary = before['currentPeriodEnd'];
    await shop.merchant.call('POST', `/subscriptions/${id}/migrate`, { priceId: shop.yearly });
    await signs(id, 'approved');
    await authorized(id);
    expect(await shown(shop, id)).toMatchObject({ offerPriceId: shop.monthly, pendingOfferPriceId: shop.yearly });

    const moved = await move(shop, id);
    expect(moved['steps']).toMatchObject([{ event: 'cycle.due', from: 'active', to: 'active', outcome: 'settled' }]);
    const end = plus(boundary, (date) => date.setUTCFullYear(date.getUTCFullYear() + 1));
    expect(await shown(shop, id)).toMatchObject({
      offerPriceId: shop.yearly,
      pendingOfferPriceId: null,
      priceAmount: '8.00',
      cyclesCompleted: 2,
      currentPeriodEnd: end,
    });
    expect(await view(shop, id)).toMatchObject({ lastInvoice: { grossAmount: '8.00' } });
    const migrated = (await reported(id, 'subscription.migrated')).find(
      ({ event }) => event === 'subscription.migrated',
    );
    expect(migrated).toMatchObject({ data: { subscriptionId: id, priceId: shop.yearly } });
    await move(shop, id);
    expect(await view(shop, id)).toMatchObject({ cyclesCompleted: 3, lastInvoice: { grossAmount: '8.00' } });
  });

  it('to another token and wallet bills those from the boundary on', async () => {
    const shop = await openShop();
    const id = await subscribed(shop, shop.monthly, 'approved');
    await shop.merchant.call('POST', `/subscriptions/${id}/migrate`, { priceId: shop.other });
    await signs(id, 'payer-2');
    await shop.merchant.call('POST', '/sandbox/charge', { subscriptionId: id });
    expect(await view(shop, id)).toMatchObject({ cyclesCompleted: 2, lastInvoice: { grossAmount: '5.00' } });
    await allows(shop, 'payer-2', 9_000_000n, OTHER_PLAYING_TOKEN_KEY);
    await authorized(id);
    await move(shop, id);
    expect(await shown(shop, id)).toMatchObject({
      offerPriceId: shop.other,
      tokenKey: OTHER_TOKEN_KEY,
      chainId: 1,
      payerWallet: walletNamed(facts, 'payer-2').address,
      cyclesCompleted: 3,
    });
    expect(await view(shop, id)).toMatchObject({ lastInvoice: { grossAmount: '9.00', tokenKey: OTHER_TOKEN_KEY } });
  });

  it('of a past due one keeps the amount of the open cycle, and is in force for the next', async () => {
    const shop = await openShop();
    const id = await subscribed(shop, shop.monthly, 'approved');
    await move(shop, id, { status: 'past_due' });
    await shop.merchant.call('POST', `/subscriptions/${id}/migrate`, { priceId: shop.yearly });
    await signs(id, 'approved');
    await authorized(id);
    expect(await shop.merchant.call('POST', `/subscriptions/${id}/retry`)).toMatchObject({
      status: 'active',
      lastInvoice: { grossAmount: '5.00' },
    });
    await move(shop, id);
    expect(await view(shop, id)).toMatchObject({ cyclesCompleted: 3, lastInvoice: { grossAmount: '8.00' } });
  });

  it('without a signature changes nothing, and ends after 30 days', async () => {
    const shop = await openShop();
    const id = await subscribed(shop, shop.monthly, 'approved');
    await shop.merchant.call('POST', `/subscriptions/${id}/migrate`, { priceId: shop.yearly });
    await move(shop, id, { days: 31 });
    expect(await shown(shop, id)).toMatchObject({
      offerPriceId: shop.monthly,
      pendingOfferPriceId: null,
      cyclesCompleted: 2,
    });
    await expect(signs(id, 'approved')).rejects.toThrow('migration.signed: refused');
  });
});

describe('a renewal at risk', () => {
  it('is reported 7, 3 and 1 days before if the allowance does not cover it, and no more when it does', async () => {
    const shop = await openShop();
    await allows(shop, 'payer-3', 100_000_000n);
    const id = await subscribed(shop, shop.monthly, 'payer-3');
    const chargeAt = (await view(shop, id))['currentPeriodEnd'];
    await allows(shop, 'payer-3', 4_999_999n);

    await move(shop, id, { to: plus(chargeAt, (date) => date.setUTCHours(date.getUTCHours() - 2)) });
    const events = await reported(id, 'subscription.at_risk', 3);
    const { offerId, offerPriceId: priceId } = await shown(shop, id);
    const data = { subscriptionId: id, offerId, priceId, reason: 'insufficient_allowance', chargeAt };
    expect(events.filter(({ event }) => event === 'subscription.at_risk')).toMatchObject([
      { data },
      { data },
      { data },
    ]);
    expect(await shortOf(id)).toBe('insufficient_allowance');

    await allows(shop, 'payer-3', 100_000_000n);
    await until(
      `${id} is not short any more`,
      () => shortOf(id),
      (short) => short === null,
    );
    expect(await move(shop, id)).toMatchObject({ status: 'active', steps: [{ outcome: 'settled' }] });
    const after = await reported(id, 'payment.succeeded', 2);
    expect(after.filter(({ event }) => event === 'subscription.at_risk')).toHaveLength(3);
  });

  it('is never reported for a daily plan', async () => {
    const shop = await openShop();
    await allows(shop, 'payer-4', 1_000_000n);
    const id = await subscribed(shop, shop.daily, 'payer-4');
    expect(await move(shop, id)).toMatchObject({ status: 'past_due', steps: [{ outcome: 'failed' }] });
    const events = await reported(id, 'subscription.past_due');
    expect(events.map(({ event }) => event)).not.toContain('subscription.at_risk');
  });

  async function shortOf(id: string): Promise<string | null | undefined> {
    return (await store.actors.load('subscription', [id])).map(subscriptionContextOf)[0]?.risk.short;
  }
});

describe("a payer's repair", () => {
  it('by a top-up recovers at once, beside the fixed days', async () => {
    const shop = await openShop();
    await pays('payer-5', 'empty', 5_000_000n);
    const id = await subscribed(shop, shop.monthly, 'empty');
    await move(shop, id);
    const risks = (await reported(id, 'subscription.at_risk', 3)).filter(
      ({ event }) => event === 'subscription.at_risk',
    );
    expect(risks.map(({ data }) => data['reason'])).toEqual(Array.from({ length: 3 }, () => 'insufficient_balance'));
    expect(await view(shop, id)).toMatchObject({
      status: 'past_due',
      lastInvoice: { status: 'failed', failureReason: 'insufficient_balance', pullTxHash: null },
    });
    await pays('payer-5', 'empty', 5_000_000n);
    await recovered(shop, id);
  });

  it('by an approval recovers at once, beside the fixed days', async () => {
    const shop = await openShop();
    await allows(shop, 'payer-6', 5_000_000n);
    const id = await subscribed(shop, shop.monthly, 'payer-6');
    await move(shop, id);
    expect(await view(shop, id)).toMatchObject({
      status: 'past_due',
      lastInvoice: { status: 'failed', failureReason: 'insufficient_allowance', pullTxHash: null },
    });
    await allows(shop, 'payer-6', 5_000_000n);
    await recovered(shop, id);
  });

  /** By one attempt, and before any check by the clock, so a log caused it. */
  async function recovered(shop: Shop, id: string): Promise<void> {
    const since = performance.now();
    const after = await until(
      `${id} is active`,
      () => view(shop, id),
      ({ status }) => status === 'active',
    );
    expect(performance.now() - since).toBeLessThan(FIRST_TIMED_CHECK_MS);
    expect(after).toMatchObject({ consecutiveFailures: 0, cyclesCompleted: 2, lastInvoice: { status: 'settled' } });
    const { payments } = await shop.merchant.call('GET', `/payments?subscriptionId=${id}`);
    expect(payments).toMatchObject([
      { status: 'settled', attempts: 2 },
      { status: 'settled', attempts: 1 },
    ]);
    await reported(id, 'subscription.recovered');
  }
});

describe('after these tests', () => {
  it('every journal leads to the stored state, and no watch is left without need', async () => {
    let seen = 0;
    for (const kind of journaledKinds(MACHINES)) {
      for await (const { problem } of replayAll(store, MACHINES, kind)) {
        expect(problem).toBeNull();
        seen += 1;
      }
    }
    expect(seen).toBeGreaterThan(20);
    const ahead = await store.records.find('watches', { where: { _id: { gt: '' } }, limit: 100 });
    expect(ahead.filter(({ _id }) => _id.endsWith(':risk'))).toEqual([]);
  });
});
