import { MaxUint256, Wallet } from 'ethers';
import { z } from 'zod';
import { tokenNamed, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { merchantSalt, routerInterface } from '../../src/chains/evm/contracts/router.ts';
import type { MandateDoc } from '../../src/store/collections.ts';
import type { Store } from '../../src/store/port.ts';
import { erc20, readTransfers } from '../../stage/erc20.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { PLAYING_TOKEN_KEY, TOKEN_KEY } from '../../stage/sale.ts';
import { challengeSchema, signChallenge } from '../../stage/sign-challenge.ts';
import { until } from '../../stage/until.ts';
import { testMerchant, useStage } from '../support/stage.ts';

/**
 * A replaced payout wallet, and a revoked agreement, in one real process. The chain's logs of transfers are the judge.
 */
let store: Store;

const stage = useStage({}, async (opened) => {
  store = await opened.store();
});

async function checkout(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${stage().service.url}/checkout/api${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

const standing = z.looseObject({
  asked: z.object({ operator: z.string(), playing: z.object({ token: z.string() }) }),
  isSigned: z.boolean(),
  outcome: z.looseObject({ progress: z.string(), waitsFor: z.string().nullable() }),
});

interface Sold {
  readonly merchant: MerchantClient;
  readonly id: string;
  readonly link: string;
  readonly payer: Wallet;
}

/** Signs at the link of the subscription. */
async function sign({ link, payer }: Pick<Sold, 'link' | 'payer'>) {
  const { address } = payer;
  const challenge = challengeSchema.parse(await checkout('POST', `${link}/challenges`, { address }));
  const signature = await signChallenge(payer, challenge);
  return standing.parse(await checkout('POST', link, { address, message: challenge.message, signature }));
}

/** An active subscription of a payer who has signed a mandate, at 10.00 a month. */
async function sold(name: string): Promise<Sold> {
  const merchant = await testMerchant(stage());
  const receiverWallet = stage().chain.addressOf('merchant');
  await merchant.call('POST', '/wallets', { tokenKey: TOKEN_KEY, receiverWallet });
  const option = { amount: '10.00', acceptedTokens: [TOKEN_KEY], billing: { type: 'recurring', interval: 'month' } };
  const offer = await merchant.call('POST', '/offers', { name: 'Coffee', pricing: [option] });
  const { pricing } = z.object({ pricing: z.tuple([z.object({ id: z.string() })]) }).parse(offer);
  const { id: customerId } = await merchant.call('POST', '/customers', {});
  const made = await merchant.call('POST', '/subscriptions', { priceId: pricing[0].id, customerId });
  const link = `/authorizations/${String(made['authorizationUrl']).split('/').at(-1)}`;
  const subscription = {
    merchant,
    id: String(made['id']),
    link,
    payer: new Wallet(walletNamed(stage().chain.facts, name).privateKey, stage().chain.provider),
  };
  const { asked } = await sign(subscription);
  await sends(
    subscription.payer,
    asked.playing.token,
    erc20.encodeFunctionData('approve', [asked.operator, MaxUint256]),
  );
  await untilStatus(subscription, 'active');
  return subscription;
}

async function sends(from: Wallet, to: string, data: string): Promise<void> {
  const sent = await from.sendTransaction({ to, data });
  await receiptOf(stage().chain.provider, sent.hash);
}

const read = async ({ merchant, id }: Sold) => merchant.call('GET', `/subscriptions/${id}`);

function untilStatus(subscription: Sold, status: string) {
  return until(
    `it is ${status}`,
    () => read(subscription),
    (is) => is['status'] === status,
    { everyMs: 600 },
  );
}

/** One more cycle, charged now. */
async function nextCycle(subscription: Sold): Promise<unknown> {
  return subscription.merchant.call('POST', '/sandbox/charge', { subscriptionId: subscription.id });
}

/** Recipient and amount of every transfer from this wallet, oldest first. */
async function paid(from: string): Promise<(readonly [string, bigint])[]> {
  const all = await readTransfers(stage().chain.provider, tokenNamed(stage().chain.facts, PLAYING_TOKEN_KEY), [
    0,
    'latest',
  ]);
  return all.filter((transfer) => transfer.from === from).map(({ to, value }) => [to, value]);
}

async function mandatesOf(payer: Wallet): Promise<MandateDoc[]> {
  const all = await store.records.find('mandates', { where: { payer: payer.address }, limit: 10 });
  return all.toSorted((one, other) => one.issuedAt - other.issuedAt);
}

describe('a payout wallet that is replaced', () => {
  it('gets the cycles of payers who signed before, once the router has announced it', async () => {
    const subscription = await sold('payer-1');
    const before = stage().chain.addressOf('merchant');
    const after = Wallet.createRandom().address;
    const row = await subscription.merchant.call('POST', '/wallets', { tokenKey: TOKEN_KEY, receiverWallet: after });
    expect(Date.parse(String(row['effectiveAt']))).toBeLessThanOrEqual(Date.now());
    const announced = () => store.records.find('announcements', { where: { payee: after }, limit: 10 });
    const docs = await until('it is announced', announced, ([doc]) => doc?.state === 'announced');
    expect(docs).toHaveLength(1);
    await nextCycle(subscription);
    expect((await paid(subscription.payer.address)).filter(([to]) => to === before || to === after)).toEqual([
      [before, expect.any(BigInt)],
      [after, expect.any(BigInt)],
    ]);
  }, 120_000);
});

describe('an agreement that its payer revokes on the router', () => {
  it('charges nothing more, says why, and continues when the payer signs again', async () => {
    const subscription = await sold('payer-2');
    const { payer } = subscription;
    const [first] = await mandatesOf(payer);
    if (!first?.router) throw new Error('no mandate on a router');
    const before = await paid(payer.address);
    const salt = merchantSalt(first.merchantId, first.mode);
    await sends(payer, first.router, routerInterface.encodeFunctionData('revoke', [salt, first.agreement]));
    await until(
      'it is noted',
      () => read(subscription),
      (is) => is['allowanceConfirmed'] === false,
      { everyMs: 600 },
    );
    const shown = standing.parse(await checkout('GET', subscription.link));
    expect([shown.isSigned, shown.outcome.waitsFor]).toEqual([false, 'signature']);

    await nextCycle(subscription);
    await untilStatus(subscription, 'past_due');
    const charges = await store.records.find('charges', {
      where: { 'mandate.id': first._id, state: 'refused' },
      limit: 10,
    });
    expect(charges.map(({ reason, refusal, txHash }) => [reason, refusal?.kind, txHash])).toEqual([
      ['insufficient_allowance', 'revoked', null],
    ]);
    expect(await paid(payer.address)).toEqual(before);

    expect((await sign(subscription)).isSigned).toBe(true);
    await untilStatus(subscription, 'active');
    const [, second] = await mandatesOf(payer);
    expect(second?.agreement).not.toBe(first.agreement);
    expect((await paid(payer.address)).length).toBeGreaterThan(before.length);
  }, 120_000);
});
