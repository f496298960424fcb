import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interface, MaxUint256, Wallet } from 'ethers';
import { z } from 'zod';
import type { Devnet } from '../../devnet/join.ts';
import { subscriptionContext } from '../../machines/subscription/context.ts';
import { type DevnetFacts, devnetFacts, tokenNamed, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { requestJson } from '../../scripts/lib/json-request.ts';
import { staffToken } from '../../scripts/lib/running-service.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { reinstateMerchant, type StaffApi, suspendMerchant } from '../../scripts/lib/staff.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { connectTo } from '../../stage/connect.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { until } from '../../stage/until.ts';
import { keepDevnet } from '../support/devnet.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { startServiceProcess } from '../support/service.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';

const TOKEN_KEY = 'usdc-base';
const REASON = 'a test';

interface Family {
  readonly family: 'evm' | 'solana';
  readonly tokenKey: string;
}

const EVM: Family = { family: 'evm', tokenKey: TOKEN_KEY };
const SOLANA: Family = { family: 'solana', tokenKey: 'usdc-solana' };

const named = z.object({ wallets: z.array(z.object({ name: z.string(), address: z.string() })) });
const devnetWallets = z.object({ evm: named, solana: named });
const withId = z.object({ id: z.string() });
const offer = z.object({ id: z.string(), checkoutUrl: z.string(), pricing: z.tuple([withId]) });
const erc20 = new Interface(['function approve(address spender, uint256 amount) returns (bool)']);

/** Due charges that cannot be attempted, in the running service (docs/rules.md, "Money": Not attempted; "Staff"). */
describe('a deferred charge', () => {
  let dataDir: string;
  let keeper: Devnet;
  let service: ServiceProcess;
  let facts: DevnetFacts;
  let store: Store;
  let receiver: Receiver;
  let api: StaffApi;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tideline-suspended-'));
    keeper = await keepDevnet(dataDir);
    service = await startServiceProcess({ dataDir, env: { LOCAL_DEVNETS: 'on' } });
    facts = await devnetFacts(service);
    receiver = await openReceiver();
    api = { url: service.url, token: staffToken({ DATA_DIR: dataDir }).token };
    const uri = (await readFile(join(dataDir, 'mongodb.uri'), 'utf8')).trim();
    store = await openMongoStore({ uri, dbName: 'tideline', log: silentLog });
  }, 120_000);

  afterAll(async () => {
    await store.close();
    await receiver.close();
    await service.stop();
    await keeper.leave({ graceful: true });
    await removeFolder(dataDir);
  });

  /** A merchant with a monthly offer and a subscription to it, billed to this wallet. */
  async function subscribed(payer: string, receiverWallet: string | null = null, on: Family = EVM) {
    const merchant = await createTestMerchant(() => service, dataDir);
    await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url, extraEvents: true });
    const billing = { type: 'recurring', interval: 'month' };
    const pricing = [{ amount: '10.00', acceptedTokens: [on.tokenKey], billing }];
    const made = offer.parse(await merchant.call('POST', '/offers', { name: 'Monthly', pricing }));
    if (receiverWallet !== null) await merchant.call('POST', '/wallets', { tokenKey: on.tokenKey, receiverWallet });
    const wallets = [{ chainFamily: on.family, address: await addressOf(payer, on) }];
    const customer = withId.parse(await merchant.call('POST', '/customers', { wallets }));
    const order = { priceId: made.pricing[0].id, customerId: customer.id };
    const { id } = withId.parse(await merchant.call('POST', '/subscriptions', order));
    return { merchant, offer: made, subscriptionId: id };
  }

  /** The time of the subscription's next check, when its charge has been deferred for this reason. */
  async function deferredFor(subscriptionId: string, why: string): Promise<Date> {
    const wakeAt = async () => {
      const [doc] = await store.actors.load('subscription', [subscriptionId]);
      const { deferred } = subscriptionContext.parse(doc?.context);
      return deferred?.why === why ? (doc?.wakeAt ?? null) : null;
    };
    return until(`${subscriptionId} is put off for ${why}`, wakeAt, (at) => at !== null);
  }

  async function reported(event: string, id: string): Promise<void> {
    const isThere = () =>
      receiver.received.some(
        ({ envelope }) => envelope.event === event && JSON.stringify(envelope['data']).includes(id),
      );
    while (!isThere()) await receiver.got(receiver.received.length + 1);
  }

  /** Checks that the payment of the first cycle was opened before the subscription's next check. */
  async function chargedBefore(subscriptionId: string, checkedIn: Date): Promise<void> {
    await reported('payment.succeeded', subscriptionId);
    const where = { 'attributes.subscriptionId': subscriptionId };
    const [payment] = await store.actors.find('payment', { where, limit: 2 });
    expect(payment?.createdAt.getTime()).toBeLessThan(checkedIn.getTime());
  }

  async function addressOf(name: string, { family }: Family): Promise<string> {
    const answered = await requestJson({
      method: 'GET',
      url: `${service.url}/devnet.json`,
      schema: devnetWallets,
      expected: [200],
    });
    const address = answered[family].wallets.find((wallet) => wallet.name === name)?.address;
    if (address === undefined) throw new Error(`no wallet of ${family} is called ${name}`);
    return address;
  }

  /** Waits until GET /subscriptions/{subscriptionId} shows this reason. */
  async function blockedFor(merchant: MerchantClient, subscriptionId: string, reason: string | null): Promise<void> {
    await until(
      `${subscriptionId} is blocked for ${reason}`,
      () => merchant.call('GET', `/subscriptions/${subscriptionId}`),
      (answer) => answer['blockedReason'] === reason,
      { everyMs: 500 },
    );
  }

  function blocksReported(subscriptionId: string): unknown[] {
    return receiver.received.flatMap(({ envelope: { event, data } }) =>
      event === 'subscription.blocked' && JSON.stringify(data).includes(subscriptionId) ? [data] : [],
    );
  }

  it.each([EVM, SOLANA])(
    'is shown if a share cannot be delivered ($family), and is made after a change of the wallet',
    async (on) => {
      const {
        merchant,
        offer: made,
        subscriptionId,
      } = await subscribed('approved', await addressOf('refuses', on), on);
      await blockedFor(merchant, subscriptionId, 'undeliverable');
      await reported('subscription.blocked', subscriptionId);
      const paused = async () => {
        const where = { 'attributes.subscriptionId': subscriptionId };
        const [payment] = await store.actors.find('payment', { where, limit: 1 });
        return { id: payment?._id ?? '', wakeAt: payment?.wakeAt ?? null, pauses: Number(payment?.context['pauses']) };
      };
      const { id, pauses } = await paused();
      expect(await merchant.call('GET', `/payments/${id}`)).toMatchObject({
        status: 'pending',
        blockedReason: 'undeliverable',
      });
      expect(await merchant.call('POST', `/subscriptions/${subscriptionId}/retry`)).toMatchObject({
        blockedReason: 'undeliverable',
      });
      const retried = await paused();
      expect(retried.pauses).toBe(pauses + 1);
      expect(blocksReported(subscriptionId)).toEqual([
        { subscriptionId, offerId: made.id, priceId: made.pricing[0].id, reason: 'undeliverable' },
      ]);

      const receiverWallet = await addressOf('merchant', on);
      await merchant.call('POST', '/wallets', { tokenKey: on.tokenKey, receiverWallet });
      await reported('payment.succeeded', subscriptionId);
      expect(Date.now()).toBeLessThan(retried.wakeAt?.getTime() ?? 0);
      expect(await merchant.call('GET', `/payments/${id}`)).toMatchObject({
        blockedReason: null,
        toWallet: receiverWallet,
      });
      await blockedFor(merchant, subscriptionId, null);
    },
    120_000,
  );

  it('for want of a payout wallet is made as soon as one is registered', async () => {
    const { merchant, subscriptionId } = await subscribed('approved');
    const checkedIn = await deferredFor(subscriptionId, 'no_payout_wallet');
    await blockedFor(merchant, subscriptionId, 'no_payout_wallet');
    await reported('subscription.blocked', subscriptionId);
    expect(blocksReported(subscriptionId)).toMatchObject([{ reason: 'no_payout_wallet' }]);
    const headers = { 'X-API-Key': merchant.testKey };
    const retry = await fetch(`${service.url}/v1/subscriptions/${subscriptionId}/retry`, { method: 'POST', headers });
    expect(retry.status).toBe(409);
    expect(await retry.text()).toContain('no payout wallet is registered');
    await merchant.call('POST', '/wallets', payoutWallet());
    await chargedBefore(subscriptionId, checkedIn);
  });

  it('of a suspended merchant is made as soon as it is reinstated, and not before', async () => {
    const { merchant, offer: made, subscriptionId } = await subscribed('payer-1');
    await suspendMerchant(api, merchant.id, REASON);
    expect(await statusOf(merchant, '/subscriptions')).toBe(401);
    expect((await fetch(made.checkoutUrl)).status).toBe(404);

    const put = { mode: 'test', ...payoutWallet(), reason: REASON };
    const headers = { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' };
    const url = `${service.url}/staff/api/merchants/${merchant.id}/wallets`;
    const wallet = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(put) });
    expect(wallet.status).toBe(201);
    // Deliveries continue.
    await reported('wallet.updated', '"source":"dashboard"');

    await approve('payer-1', await operatorOf(merchant.id));
    const checkedIn = await deferredFor(subscriptionId, 'merchant_suspended');
    expect(await store.records.count('charges', { merchantId: merchant.id })).toBe(0);

    await reinstateMerchant(api, merchant.id, REASON);
    expect(await statusOf(merchant, '/subscriptions')).toBe(200);
    expect((await fetch(made.checkoutUrl)).status).toBe(200);
    await chargedBefore(subscriptionId, checkedIn);
    expect(await merchant.call('GET', `/subscriptions/${subscriptionId}`)).toMatchObject({
      status: 'active',
      consecutiveFailures: 0,
    });
  });

  function payoutWallet() {
    return { tokenKey: TOKEN_KEY, receiverWallet: walletNamed(facts, 'merchant').address };
  }

  async function statusOf({ testKey }: MerchantClient, path: string): Promise<number> {
    return (await fetch(`${service.url}/v1${path}`, { headers: { 'X-API-Key': testKey } })).status;
  }

  /** The operator of a merchant, read from the store because its keys may be refused. */
  async function operatorOf(merchantId: string): Promise<string> {
    const [watch] = await store.records
      .find('watches', { where: { chainId: 31337 }, limit: 100 })
      .then((watches) => watches.filter((each) => each.merchantId === merchantId));
    if (!watch?.operator) throw new Error(`nothing of ${merchantId} waits for an allowance`);
    return watch.operator;
  }

  async function approve(name: string, operator: string): Promise<void> {
    const provider = connectTo(facts);
    try {
      const data = erc20.encodeFunctionData('approve', [operator, MaxUint256]);
      const to = tokenNamed(facts, 'usdc-local-evm');
      const { privateKey } = walletNamed(facts, name);
      const sent = await new Wallet(privateKey, provider).sendTransaction({ to, data });
      await receiptOf(provider, sent.hash);
    } finally {
      provider.destroy();
    }
  }

  it('is answered by the staff API with what was done, and why', async () => {
    const merchant = await createTestMerchant(() => service, dataDir);
    await suspendMerchant({ ...api, name: 'ada' }, merchant.id, REASON);
    await reinstateMerchant(api, merchant.id, REASON);
    const journal = await requestJson({
      method: 'GET',
      url: `${service.url}/staff/api/merchants/${merchant.id}/journal`,
      headers: { Authorization: `Bearer ${api.token}` },
      schema: z.object({ entries: z.array(z.object({ action: z.string(), by: z.string(), reason: z.string() })) }),
      expected: [200],
    });
    expect(journal.entries).toEqual([
      { action: 'merchant.reinstated', by: 'staff', reason: REASON },
      { action: 'merchant.suspended', by: 'staff:ada', reason: REASON },
    ]);
  });
});
