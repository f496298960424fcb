import { randomUUID } from 'node:crypto';
import { Wallet } from 'ethers';
import { localKey } from '../../devnet/evm-wallets.ts';
import { merchantSalt, routerInterface } from '../../src/chains/evm/contracts/router.ts';
import type { Merchant } from '../merchant.ts';
import type { Setting } from '../setting.ts';
import { FIRST_CHARGE, type Story } from '../story.ts';
import { inTokens, TOKEN_KEY } from '../tokens.ts';
import { until } from '../until.ts';
import {
  approveByApi,
  approveYear,
  nextCycle,
  PRICE,
  PRICE_UNITS,
  type Scene,
  type Subscriber,
  signAtCheckout,
  type Victim,
  victim,
} from './thief/cast.ts';
import { robByDatabase } from './thief/database-writes.ts';
import { signLive } from './thief/live-mandates.ts';
import { Loot } from './thief/loot.ts';
import { type Act, chargeEarly, chargeRevoked, robBounded, robLive, robOpen } from './thief/sender-key.ts';
import { Thief } from './thief/thief.ts';

/** As on a mainnet: 48 hours. */
const PAYEE_DELAY_S = 172_800;

/** A thief with a sender key, then a merchant's API key, then the database. The Transfer logs show the losses. */
export const thief: Story = {
  name: 'thief',
  title: 'What a thief takes: from payers who signed a mandate, and from one who approved the open operator',
  hasThief: true,
  env: { LOCAL_PAYEE_DELAY: String(PAYEE_DELAY_S) },
  run: async (stage, attempts) => {
    const merchant = await stage.createMerchant();
    const scene = { stage, merchant };
    const onSale = await merchant.createOffer({ price: PRICE, every: 'month' });
    const ada = await signAtCheckout(
      scene,
      victim(scene, 'payer-1', 'Ada', 'who signed a mandate at the checkout'),
      onSale,
    );
    const bob = await approveByApi(
      scene,
      victim(scene, 'payer-2', 'Bob', 'who approved the open operator by the API'),
      onSale,
    );
    const cleo = victim(scene, 'payer-3', 'Cleo', 'who signed mandates as a live checkout asks for them');
    const live = await signLive(scene, cleo, ada.mandate);

    const robber = new Thief(stage.chain);
    const loot = new Loot(stage, robber, attempts);
    const act = { scene, loot, thief: robber };
    loot.chapter('The thief has a sender key, and calls the router as the service does', ...NOTES);
    await robBounded(act, ada);
    await robLive(act, cleo, live);
    await robOpen(act, bob);
    await chargeEarly(act, ada);

    loot.chapter("The thief has the merchant's API key");
    await approveYear(scene, bob, merchant.operator);
    const payments = await robByApi(act, ada, bob);

    loot.chapter('The thief can write to the database, and lets the service run');
    await approveYear(scene, bob, merchant.operator);
    await robByDatabase(act, ada, bob);

    loot.chapter('Ada ends it; the thief still has the sender key');
    await chargeRevoked(act, ada);
    await withdraw(scene, robber.wallet);

    loot.showSums([ada, cleo, bob]);
    for (const each of [ada, cleo]) stage.expect.equal(`${each.name} loses nothing`, loot.lost(each), [0n, 0n, 0n]);
    // Once to each theft. The API key leaves one charge, which the service keeps for the subscription.
    const lost = [PRICE_UNITS * 11n, PRICE_UNITS * 11n, PRICE_UNITS * 12n];
    stage.expect.equal('Bob loses the open allowance', loot.lost(bob), lost);
    await expectAllEvents(merchant, [ada, bob], payments);
  },
};

const NOTES = [
  "Payees wait for 48 hours on this router, as on a mainnet. A test key's mandate has no rhythm, because the sandbox moves the",
  "clocks of subscriptions and no chain's: so Cleo has signed mandates of a live checkout, with her wallet and the contract alone.",
];

async function expectAllEvents(
  merchant: Merchant,
  [ada, bob]: readonly [Subscriber, Subscriber],
  { failed, settled }: Awaited<ReturnType<typeof robByApi>>,
): Promise<void> {
  const customerOf = async ({ id }: Subscriber) => (await merchant.api.subscriptions.get(id)).customerId ?? '';
  const [succeeded, refused] = ['payment.succeeded', 'payment.failed: insufficient_allowance'];
  const events = {
    [TOKEN_KEY]: ['wallet.updated', 'wallet.updated', 'wallet.updated'],
    [await customerOf(ada)]: ['customer.created'],
    [await customerOf(bob)]: ['customer.created'],
    [ada.id]: [
      ...FIRST_CHARGE,
      succeeded,
      succeeded,
      succeeded,
      succeeded,
      ...Array(2).fill('payment.failed: pull_reverted'),
    ],
    [bob.id]: [...FIRST_CHARGE, succeeded, succeeded],
    [failed]: [refused],
    [settled]: [succeeded],
  };
  for (const [resource, expected] of Object.entries(events)) await merchant.expectEvents(resource, expected);
}

const PATIENCE_MS = 20_000;

/** The service reports a payee that it did not announce, until the owner of the router withdraws it. */
async function withdraw({ stage, merchant }: Scene, payee: string): Promise<void> {
  const { chain, narrator, expect } = stage;
  const reports = (text: string) => text.includes(payee.toLowerCase());
  expect.equal('The service reports the payee', reports(await healthOf(stage, reports)), true);
  const owner = new Wallet(localKey('owner of the router').privateKey, chain.provider);
  const args = [merchantSalt(merchant.id, 'test'), payee];
  const data = routerInterface.encodeFunctionData('withdrawPayee', args);
  const { hash } = await chain.send(owner, { to: chain.router, data });
  narrator.add({ what: "the owner withdraws the thief's payee", txHash: hash });
  const isOver = (text: string) => !reports(text);
  expect.equal('The service reports it no more', isOver(await healthOf(stage, isOver)), true);
}

async function healthOf(stage: Setting, isWanted: (text: string) => boolean): Promise<string> {
  const headers = { Authorization: `Bearer ${stage.staff().token}` };
  const health = async () => (await (await fetch(`${stage.url}/health`, { headers })).text()).toLowerCase();
  return until('health is as wanted', health, isWanted, { withinMs: PATIENCE_MS, orLast: true });
}

/** What the API key takes. Ends with the former payout wallet, as a merchant does after `wallet.updated`. */
async function robByApi(act: Act, ada: Subscriber, bob: Subscriber) {
  const { scene, thief } = act;
  const { wallets } = scene.merchant.api;
  const failed = await payNow(act, ada, PRICE);
  await wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: thief.wallet });
  await awaitWalletEvent(scene, 2);
  await cycleAfter(act, ada);
  await cycleAfter(act, bob);
  const settled = await payNow(act, bob, inTokens(await spareOf(scene, bob)));
  await wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: scene.merchant.payoutWallet });
  await awaitWalletEvent(scene, 3);
  return { failed, settled };
}

/** `POST /payments` pulls from any wallet that approved the open operator, to any address. The payment's id. */
async function payNow({ scene, loot, thief }: Act, victim: Victim, amount: string): Promise<string> {
  const { payments } = scene.merchant.api;
  const order = { fromWallet: victim.payer.address, toWallet: thief.wallet, amount, tokenKey: TOKEN_KEY };
  const idempotencyKey = randomUUID();
  await loot.take({ stolen: 'API key', victim, what: `POST /payments: ${amount}, to the thief` }, async () => {
    const { status, failureReason } = await payments.create({ ...order, idempotencyKey });
    return failureReason === null ? status : `${status}, ${failureReason}`;
  });
  return (await payments.create({ ...order, idempotencyKey })).id;
}

async function cycleAfter({ scene, loot }: Act, victim: Subscriber): Promise<void> {
  const what = 'POST /wallets: the thief as the payout wallet; a cycle';
  await loot.take({ stolen: 'API key', victim, what }, () => nextCycle(scene, victim));
}

/** The service keeps the next charge of the wallet's subscription for that. */
async function spareOf({ stage, merchant }: Scene, { payer }: Victim): Promise<bigint> {
  return (await stage.chain.allowance(payer.address, merchant.operator)) - PRICE_UNITS;
}

async function awaitWalletEvent({ merchant }: Scene, sequence: number): Promise<void> {
  await merchant.receiver.until(
    `wallet.updated ${sequence}`,
    (envelope) => envelope.event === 'wallet.updated' && envelope.sequence === sequence,
  );
}
