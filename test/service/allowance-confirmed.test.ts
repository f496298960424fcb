import { z } from 'zod';
import { walletNamed } from '../../scripts/lib/devnet-facts.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import { approve, openShop, operatorOf } from '../../stage/sale.ts';
import { until } from '../../stage/until.ts';
import { testMerchant, useStage } from '../support/stage.ts';

/** One price, in base units of the playing token. */
const CHARGE = 10_000_000n;

const PAYER = 'payer-1';

let merchant: MerchantClient;
let priceId: string;
let customerId: string;

const stage = useStage();

/** Each test has its own merchant, and so its own operator and allowance. */
beforeEach(async () => {
  merchant = await testMerchant(stage());
  const shop = await openShop(merchant, stage().chain.facts, { payers: 2 });
  priceId = shop.priceId;
  customerId = shop.payers[1]?.customerId ?? '';
}, 120_000);

/** Sets the payer's allowance, in charges. */
async function allow(charges: bigint): Promise<void> {
  await approve(
    stage().chain.facts,
    await operatorOf(merchant),
    [walletNamed(stage().chain.facts, PAYER)],
    charges * CHARGE,
  );
}

/** Another subscription of the payer, with its first charge settled. */
async function subscribed(): Promise<string> {
  const { id } = z
    .object({ id: z.string() })
    .parse(await merchant.call('POST', '/subscriptions', { priceId, customerId }));
  await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'active' });
  return id;
}

/** A merchant gets 120 reads by id a minute. */
const SELDOM = { everyMs: 600 };

async function confirmed(id: string): Promise<boolean> {
  const answer = await merchant.call('GET', `/subscriptions/${id}`);
  return z.object({ allowanceConfirmed: z.boolean() }).parse(answer).allowanceConfirmed;
}

describe('allowanceConfirmed of an active subscription', () => {
  it('is false when its charge has used up the allowance', async () => {
    await allow(1n);
    const id = await subscribed();
    await until(
      'nothing is left',
      () => confirmed(id),
      (is) => is === false,
      SELDOM,
    );
  });

  it("follows the payer's approvals", async () => {
    await allow(5n);
    const id = await subscribed();
    await allow(0n);
    await until(
      'it is taken back',
      () => confirmed(id),
      (is) => is === false,
      SELDOM,
    );
    await allow(5n);
    await until(
      'it is granted again',
      () => confirmed(id),
      (is) => is === true,
      SELDOM,
    );
  });

  it('is false for the later of two with one charge left for both, until the first is canceled', async () => {
    await allow(5n);
    const [first, second] = [await subscribed(), await subscribed()];
    await approve(
      stage().chain.facts,
      await operatorOf(merchant),
      [walletNamed(stage().chain.facts, PAYER)],
      (CHARGE * 3n) / 2n,
    );
    await until(
      'only the first is covered',
      () => confirmed(second),
      (is) => is === false,
      SELDOM,
    );
    expect(await confirmed(first)).toBe(true);
    await merchant.call('POST', `/subscriptions/${first}/cancel`, {});
    await until(
      'the second is covered',
      () => confirmed(second),
      (is) => is === true,
      SELDOM,
    );
  });
});
