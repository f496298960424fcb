import { randomUUID } from 'node:crypto';
import { Wallet } from 'ethers';
import { createClient } from 'tideline/client';
import { UnexpectedStatus } from '../../scripts/lib/json-request.ts';
import { setLimitFactor } from '../../scripts/lib/staff.ts';
import { parseChargeLogs } from '../../src/chains/evm/contracts/charge-logs.ts';
import { signBody } from '../../src/webhooks/signature.ts';
import { times } from '../calendar.ts';
import type { LocalChain } from '../local-chain.ts';
import { Merchant, refusalOf } from '../merchant.ts';
import { SILENT } from '../narrator.ts';
import { startReceiver } from '../receiver.ts';
import type { Stage } from '../stage.ts';
import { FIRST_CHARGE, type Story } from '../story.ts';
import { TOKEN_KEY, TOKEN_KEY as tokenKey } from '../tokens.ts';
import { until } from '../until.ts';
import { CYCLES, chargeAll, type Shop, subscribeHonest, subscribeHostile } from './siege/cycles.ts';
import { type Block, judge } from './siege/judge.ts';
import { nextCycle, PRICE, PRICE_UNITS, signAtCheckout, victim } from './thief/cast.ts';
import { Database } from './thief/database.ts';
import { refusedCycle, robRows } from './thief/database-writes.ts';
import { Loot } from './thief/loot.ts';
import type { Act } from './thief/sender-key.ts';
import { Thief } from './thief/thief.ts';

const HONEST = 10;
const HOSTILE = 12;

/** All who would stop the billing of a chain, or take more than was signed, act at once beside honest payers. */
export const siege: Story = {
  name: 'siege',
  title: 'Hostile payers, a hostile merchant, a stolen test key and a thief in the database, all at once',
  hasThief: true,
  env: { LOCAL_PAYEE_DELAY: '172800' },
  run: async (stage, attempts) => {
    const { chain, expect, narrator } = stage;
    const first = await chain.provider.getBlockNumber();
    const thief = new Thief(chain);
    const loot = new Loot(stage, thief, attempts);
    const [club, tea] = [await open(stage, 'Coffee Club'), await open(stage, 'Tea')];
    const mallory = await open(stage, 'Mallory');
    const { merchant } = club;
    stage.merchants.push(merchant);
    narrator.add({ what: 'Offer: Coffee Club, every month', amount: PRICE });
    const robByTestKey = await goLive(stage, merchant, loot);
    const [honest, hostile] = await narrator.waitFor(
      'everybody signs up at the checkout',
      Promise.all([
        Promise.all(times(HONEST, club).map(subscribeHonest)),
        Promise.all(times(HOSTILE, club).map(subscribeHostile)),
      ]),
    );

    loot.chapter(`All at once, beside ${HONEST} honest payers`, ...NOTES);
    const stop = new AbortController();
    const [dues, dusty] = await Database.use(stage.dataDir, (database) =>
      Promise.all([
        chargeAll(stage, club, [honest, hostile], stop.signal, () =>
          forgetCharges({ scene: club, loot, thief }, database),
        ),
        spendGas(mallory, loot),
        robByTestKey(),
        changeRows({ scene: tea, loot, thief }, database),
      ]).finally(() => stop.abort()),
    );

    const { gas, blockOf } = await readGas(chain, first, new Set(hostile.map(({ address }) => address)), dusty);
    const recipients = [merchant.payoutWallet, chain.addressOf('platform')];
    const transfers = await chain.transfers();
    const found = judge({ dues, price: PRICE_UNITS, recipients, thief: thief.wallet, transfers, blockOf });
    narrator.chapter('By the logs of the chain', 'The service paid for all gas but that of approvals.');
    narrator.add({ what: `${found.charged} of ${dues.length} honest charges, after ${found.slowest} s at most` });
    for (const [what, amount] of Object.entries(gas)) {
      narrator.add({ what: `gas of ${what}`, status: amount.toLocaleString('en') });
    }
    expect.equal('Every honest charge was made in time, and nothing was taken', found.findings, []);

    await merchant.expectEvents(TOKEN_KEY, ['wallet.updated']);
    for (const { id } of [...honest, ...hostile]) {
      const { customerId } = await merchant.api.subscriptions.get(id);
      await merchant.expectEvents(customerId ?? '', ['customer.created']);
    }
    const events = [...FIRST_CHARGE, ...times(CYCLES - 1, 'payment.succeeded')];
    for (const { id } of honest) await merchant.expectEvents(id, events);
    // A hostile wallet that takes a transaction for a simulation pays.
    for (const { id } of hostile) await merchant.expectEvents(id, merchant.receiver.eventsOf(id));
  },
};

const NOTES = [
  `${HOSTILE} contract wallets have subscribed at the same offer. They agree to every signature in simulations, and burn all gas in`,
  'transactions. Most know a simulation by its gas price, the others by its block.',
];

/** A merchant whose steps and webhooks are not shown one by one. */
async function open(stage: Stage, name: string): Promise<Shop> {
  const quiet = { ...stage.on(stage.chain), narrator: SILENT };
  const merchant = await Merchant.signUp(quiet, name);
  return { stage: quiet, merchant, onSale: await merchant.createOffer({ price: PRICE, every: 'month' }) };
}

/**
 * The gas of all blocks after `first` by what it was for, and the block of each transaction. The charges of a
 * transaction share its gas equally. `dusty`: the wallet of the hostile merchant.
 */
async function readGas({ provider, router }: LocalChain, first: number, hostile: Set<string>, dusty: string) {
  const blocks = new Map<string, Block>();
  const gas: { [purpose: string]: bigint } = {};
  for (let number = first + 1; ; number += 1) {
    const block = await provider.getBlock(number);
    if (block === null) return { gas, blockOf: (txHash: string) => blocks.get(txHash) };
    for (const hash of block.transactions) {
      blocks.set(hash, block);
      const { from, to, status, gasUsed = 0n, logs = [] } = (await provider.getTransactionReceipt(hash)) ?? {};
      const purposes = parseChargeLogs(logs, router).map((charge): string => {
        if (charge.kind === 'refused') return 'failed charges';
        return charge.from === dusty ? 'dust payments' : 'charges made';
      });
      if (hostile.has(from ?? '')) purposes.push('hostile approvals');
      else if (to === router && status === 0) purposes.push('failed charges');
      else if (to === router && purposes.length === 0) purposes.push('announced payout wallets');
      const share = gasUsed / BigInt(purposes.length || 1);
      for (const purpose of purposes) gas[purpose] = (gas[purpose] ?? 0n) + share;
    }
  }
}

/** Deletes what the service knows of settled charges, as if none had been made. */
async function forgetCharges({ scene: { merchant }, loot }: Act, database: Database): Promise<void> {
  const club = { name: 'Club', payer: { address: merchant.payoutWallet } };
  await loot.take(
    { stolen: 'database', victim: club, what: 'deletes all charges and transactions so far' },
    async () => {
      const charges = await database.delete('charges', { merchantId: merchant.id, state: 'final' });
      return `${charges} charges, ${await database.delete('transactions', { state: 'final' })} transactions`;
    },
  );
}

/** Changes rows of a merchant with one payer. Her charges fail until the merchant has registered its wallet again. */
async function changeRows({ scene, ...act }: Act & { readonly scene: Shop }, database: Database): Promise<void> {
  const { merchant, onSale } = scene;
  const ada = await signAtCheckout(scene, victim(scene, 'payer-1', 'Ada', 'who signed at the checkout'), onSale);
  const attempt = (what: string, take: () => Promise<string>) =>
    act.loot.take({ stolen: 'database', victim: ada, what }, take);
  await robRows({ scene, ...act }, database, ada);
  await attempt("the thief's announcement, as if it had waited", async () => {
    await database.change('announcements', { payee: act.thief.wallet }, { state: 'announced', from: new Date(0) });
    return refusedCycle({ scene, ...act }, database, ada);
  });
  await merchant.api.wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: merchant.payoutWallet });
  const repaired = await attempt('the merchant registers its own again; a cycle', () => nextCycle(scene, ada));
  scene.stage.expect.equal('Ada is charged again', repaired.answer, 'settled');
}

/** More than a merchant may make in a minute. */
const CALLS = 40;

/** A merchant with the usual limits has the service spend gas. Resolves with the address of its own payer. */
async function spendGas(shop: Shop, loot: Loot): Promise<string> {
  const { merchant, stage } = shop;
  const payer = await stage.chain.newWallet('100.00');
  const victim = { name: 'Mal', consent: 'a wallet of the merchant itself', payer };
  await signAtCheckout(shop, victim, shop.onSale);
  await stage.chain.approve(payer, merchant.operator, '1.00');
  await setLimitFactor(stage.staff(), merchant.id, 1, 'the limits of every merchant');
  const fromWallet = payer.address;
  const attempt = (what: string, path: string, bodyFor: (wallet: string) => object) =>
    loot.take({ stolen: 'nothing', victim, what }, async () => {
      const call = () => merchant.client.call('POST', path, bodyFor(Wallet.createRandom().address));
      const answers = await Promise.allSettled(times(CALLS, call).map((each) => each()));
      const refusals = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      const isLimited = refusals.some((each) => each instanceof UnexpectedStatus && each.status === 429);
      stage.expect.equal(`${what} meet a limit`, isLimited, true);
      return `${CALLS - refusals.length} accepted, ${refusals.length} refused by limits`;
    });
  await attempt(`${CALLS} payments of 0.000001 to new wallets`, '/payments', (toWallet) => {
    return { fromWallet, toWallet, amount: '0.000001', tokenKey, idempotencyKey: randomUUID() };
  });
  await attempt(`${CALLS} payout wallets, to be announced`, '/wallets', (receiverWallet) => ({
    tokenKey,
    receiverWallet,
  }));
  return fromWallet;
}

/** A live URL and a live event; then the tries of a thief of the test key, at the secret and live events. */
async function goLive(stage: Stage, merchant: Merchant, loot: Loot): Promise<() => Promise<void>> {
  const { api, client } = merchant;
  const live = createClient({ apiKey: client.liveKey, baseUrl: `${stage.url}/v1` });
  await live.webhooks.setEndpoint({ url: 'https://shop.example/webhooks' });
  const receiver = await startReceiver();
  stage.onStop(() => receiver.close());
  receiver.setSecret((await live.webhooks.rotateSecret({ scope: 'mode' })).secret, 'live');
  await live.customers.create({ name: 'Leo' });
  const [event] = await until(
    'the live event is in the log',
    async () => (await live.events.list()).events,
    ({ length }) => length > 0,
  );

  const victim = { name: 'Club', payer: { address: merchant.payoutWallet } };
  const attempt = async (what: string, act: () => Promise<string>, answer: string) => {
    const { answer: found } = await loot.take({ stolen: 'test key', victim, what }, act);
    stage.expect.equal(`The test key of a merchant ${what}`, found, answer);
  };
  return async () => {
    const rotate = async () => (await refusalOf(api.webhooks.rotateSecret())).split(',')[0] ?? '';
    await attempt('rotates the secret that signs live events', rotate, '409 A live webhook URL is set');
    await attempt('reads a live event', () => refusalOf(api.events.get(event?.id ?? '')), '404 Not found');
    const forge = async () => {
      const body = JSON.stringify({ event: 'payment.succeeded', isSandbox: false, sequence: 1 });
      const now = Math.floor(Date.now() / 1_000);
      const signature = signBody(JSON.stringify(await api.webhooks.getSecret()), now, body);
      const headers = { 'X-Service-Timestamp': String(now), 'X-Service-Signature-Mode': signature };
      await fetch(receiver.url, { method: 'POST', headers, body });
      return `${receiver.refused.at(-1)}`;
    };
    await attempt('forges payment.succeeded at the live URL', forge, 'its signature is not made with the secret');
  };
}
