import { z } from 'zod';
import { walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { readLedger } from '../../stage/ledger.ts';
import type { Answer, MerchantClient } from '../../stage/merchant-client.ts';
import { approve, openShop, operatorOf, TOKEN_KEY } from '../../stage/sale.ts';
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

/** Advances to the next due moment. */
async function fallDue(subscriptionId: string): Promise<Answer> {
  return merchant.call('POST', '/sandbox/advance', { subscriptionId });
}

/** Charges its next cycle, due or not. */
function charge(subscriptionId: string): Promise<Answer> {
  return merchant.call('POST', '/sandbox/charge', { subscriptionId });
}

function shown(id: string): Promise<Answer> {
  return merchant.call('GET', `/subscriptions/${id}`);
}

let paid = 0;

function pay(): Promise<Answer> {
  paid += 1;
  return merchant.call('POST', '/payments', {
    tokenKey: TOKEN_KEY,
    amount: '10.00',
    fromWallet: stage().chain.addressOf(PAYER),
    toWallet: stage().chain.addressOf('merchant'),
    idempotencyKey: `set-aside-${paid}`,
  });
}

function untilStatus(id: string, status: string): Promise<Answer> {
  return until(
    `${id} is ${status}`,
    () => shown(id),
    (answer) => answer['status'] === status,
  );
}

const SETTLED = expect.objectContaining({ outcome: 'settled' });
const SHORT = { status: 'failed', failureReason: 'insufficient_allowance' };

describe('two subscriptions on one allowance', () => {
  it('that suffices for one: the later one fails although its pull would succeed, and the first is charged on its day', async () => {
    const [first, later] = [await subscribed(), await subscribed()];
    await allow(1n);
    const before = (await readLedger(stage().chain.facts)).charges.length;
    expect(await fallDue(later)).toMatchObject({ status: 'past_due', steps: [{ outcome: 'failed' }] });
    expect(await shown(later)).toMatchObject({
      consecutiveFailures: 1,
      lastInvoice: { ...SHORT, merchantTransferTxHash: null },
    });
    expect((await readLedger(stage().chain.facts)).charges).toHaveLength(before);

    expect(await fallDue(first)).toMatchObject({ status: 'active', steps: [{ outcome: 'settled' }] });
    expect((await readLedger(stage().chain.facts)).charges).toHaveLength(before + 1);

    // Enough for the first one's next charge and for the past due one; the approval's log reports it.
    await allow(2n);
    expect(await untilStatus(later, 'active')).toMatchObject({
      consecutiveFailures: 0,
      lastInvoice: { status: 'settled' },
    });
    expect(await shown(first)).toMatchObject({ allowanceConfirmed: true });
  }, 120_000);

  it('that suffices for both: both are charged, in any order', async () => {
    const [first, later] = [await subscribed(), await subscribed()];
    await allow(2n);
    expect([await charge(later), await charge(first)]).toEqual([SETTLED, SETTLED]);
    // The first one's reserve is filled again after its charge, so three charges are enough in any order.
    await allow(3n);
    expect(await Promise.all([first, later].map(charge))).toEqual([SETTLED, SETTLED]);
  }, 120_000);

  it('reserve nothing if no charge will follow', async () => {
    const [first, later] = [await subscribed(), await subscribed()];
    await merchant.call('POST', `/subscriptions/${first}/cancel`, { atPeriodEnd: true });
    await allow(1n);
    expect(await fallDue(later)).toMatchObject({ status: 'active', steps: [{ outcome: 'settled' }] });
    await allow(1n);
    await merchant.call('POST', `/subscriptions/${first}/resume`);
    expect(await fallDue(later)).toMatchObject({ status: 'past_due', steps: [{ outcome: 'failed' }] });
  }, 120_000);
});

describe('a one-off payment', () => {
  it('leaves the next charges of all authorized subscriptions of its payer', async () => {
    const [first, later] = [await subscribed(), await subscribed()];
    await allow(3n);
    expect(await pay()).toMatchObject({ status: 'settled' });
    expect(await pay()).toMatchObject({ ...SHORT, pullTxHash: null });
    expect([await charge(later), await charge(first)]).toEqual([SETTLED, SETTLED]);
  }, 120_000);

  it('takes no more than the others leave if several are requested together', async () => {
    const id = await subscribed();
    await allow(3n);
    const payments = await Promise.all([pay(), pay(), pay(), pay()]);
    expect(payments.map(({ status }) => status).sort()).toEqual(['failed', 'failed', 'settled', 'settled']);
    expect(await fallDue(id)).toMatchObject({ status: 'active', steps: [{ outcome: 'settled' }] });
  }, 120_000);

  it('does not use what another merchant may take', async () => {
    await subscribed();
    await allow(1n);
    merchant = await testMerchant(stage());
    await openShop(merchant, stage().chain.facts, { payers: 2 });
    await allow(1n);
    expect(await pay()).toMatchObject({ status: 'settled' });
  }, 120_000);
});
