import { derivedId } from '../../src/store/ids.ts';
import { NOTHING, PLENTY } from '../../stage/scripted-chain.ts';
import { ALICE, CAROL, monthly } from '../support/bodies.ts';
import { expectError } from '../support/http.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { CheckoutOverHttp, type OnSale } from './support/checkout.ts';

const HOUR_MS = 3_600_000;
const PRICE = 25_000_000n;

const checkout = await CheckoutOverHttp.start();

beforeEach(() => {
  checkout.chain.state = NOTHING;
  checkout.later(60_000);
});

/** A session that waits for its allowance, and its key. */
async function waiting(sale: OnSale, change: object = {}): Promise<string> {
  const sessionKey = checkout.newKey();
  const reply = await checkout.pay(sale, checkout.newPayer(), { ...change, sessionKey });
  expect(reply).toMatchObject({ status: 201, body: { outcome: { progress: 'waiting' } } });
  return sessionKey;
}

/** Reports a log of every watched wallet, as the chain does. No page polls. */
async function looks(): Promise<void> {
  const watches = await checkout.http.store.records.find('watches', { where: {}, limit: 100 });
  for (const wallet of new Set(watches.map((watch) => watch.wallet))) {
    await checkout.billing.watcher.walletsChanged(31_337, [wallet]);
  }
  await checkout.billing.quiet();
}

async function outcome(sessionKey: string): Promise<unknown> {
  const { body } = await checkout.get(`/sessions/${sessionKey}`);
  return body;
}

describe('POST …/payments', () => {
  it('makes the payment when the allowance suffices, with the agreed terms', async () => {
    const sale = await checkout.oneTime({ splitEvm: [{ address: CAROL, percentage: '10' }] });
    checkout.chain.state = { allowance: PRICE, balance: PRICE };
    const payer = checkout.newPayer();
    const change = { collected: { email: 'ada@example.com', size: 'XL', count: 2 }, refundWallet: ALICE.toLowerCase() };
    const reply = await checkout.pay(sale, payer, change);
    const [payment] = await checkout.payments(sale);
    const [customer] = await checkout.customers(sale);
    expect(reply).toMatchObject({
      status: 201,
      body: {
        kind: 'payment',
        asked: { lines: [{ offerName: 'Course', amount: '25.00', cycles: 1, total: '25.00' }], total: '25.00' },
        outcome: { progress: 'charging', waitsFor: null, payment: { id: payment?._id, status: 'pending' } },
      },
    });
    expect(await sale.merchant.get(`/payments/${payment?._id}`)).toMatchObject({
      body: {
        source: 'one_time',
        offerId: sale.offerId,
        priceId: sale.priceId,
        customerId: customer?._id,
        subscriptionId: null,
        fromWallet: payer.address,
        toWallet: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
        amount: '25.00',
        idempotencyKey: expect.stringMatching(/^checkout:ses_/),
        metadata: { size: 'XL', count: '2' },
        refundWallet: ALICE,
      },
    });
    const [charge] = await checkout.http.store.records.find('charges', { where: { from: payer.address }, limit: 1 });
    expect(charge?.shares.map(({ role, amount }) => [role, amount])).toEqual([
      ['forward', '22500000'],
      ['split', '2500000'],
    ]);
    expect(customer).toMatchObject({ email: 'ada@example.com' });
  });

  it('waits for the allowance, and pays when a log shows it, even if no page polls any more', async () => {
    const sale = await checkout.oneTime();
    const sessionKey = await waiting(sale);
    await looks();
    expect(await checkout.payments(sale)).toEqual([]);
    checkout.chain.state = PLENTY;
    await looks();
    await looks();
    const [payment, second] = await checkout.payments(sale);
    expect([payment?.status, second]).toEqual(['pending', undefined]);
    await checkout.chain.charges.settle(payment?._id ?? '');
    expect(await outcome(sessionKey)).toMatchObject({
      outcome: { progress: 'completed', payment: { status: 'settled' }, afterCompletion: {} },
    });
    expect(await checkout.http.store.records.count('watches', { merchantId: sale.merchant.id })).toBe(0);
  });

  it('pays at the next scheduled check if no log is read', async () => {
    const sale = await checkout.oneTime();
    await waiting(sale);
    checkout.chain.state = PLENTY;
    checkout.later(15_000);
    await checkout.billing.watcher.checkDue();
    expect(await checkout.payments(sale)).toHaveLength(1);
  });

  it('makes one payment of many simultaneous checks', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 5 });
    const sessionKey = await waiting(sale);
    checkout.chain.state = PLENTY;
    await Promise.all([outcome(sessionKey), looks(), outcome(sessionKey), looks(), outcome(sessionKey)]);
    expect(await checkout.payments(sale)).toHaveLength(1);
    expect(await checkout.stock(sale)).toEqual([0, 1]);
  });

  it('answers the same key with the same session, and charges nothing twice', async () => {
    const sale = await checkout.oneTime();
    checkout.chain.state = PLENTY;
    const body = await checkout.signed(sale, checkout.newPayer());
    const post = () => checkout.post(`/offers/${sale.offerId}/payments`, body);
    const replies = await Promise.all([post(), post()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(await checkout.payments(sale)).toHaveLength(1);
  });

  it('tries again with a new payment when the missing money is there', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    checkout.chain.state = { allowance: PRICE, balance: 0n };
    const sessionKey = checkout.newKey();
    await checkout.pay(sale, checkout.newPayer(), { sessionKey });
    const [first] = await checkout.payments(sale);
    expect(await checkout.stock(sale)).toEqual([0, 1]);
    await checkout.chain.charges.refuse(first?._id ?? '', 'insufficient_balance');
    expect(await checkout.stock(sale)).toEqual([0, 0]);
    expect(await outcome(sessionKey)).toMatchObject({
      chain: { missingBalance: '25.00' },
      outcome: { progress: 'waiting', waitsFor: 'balance', payment: { failureReason: 'insufficient_balance' } },
    });
    await looks();
    expect(await checkout.payments(sale)).toHaveLength(1);
    checkout.chain.state = PLENTY;
    checkout.later(1);
    await looks();
    const [, second] = await checkout.payments(sale);
    await checkout.chain.charges.settle(second?._id ?? '');
    expect(await outcome(sessionKey)).toMatchObject({
      outcome: { progress: 'completed', payment: { id: second?._id } },
    });
    expect(await checkout.stock(sale)).toEqual([1, 0]);
    expect((await checkout.payments(sale)).map(({ status }) => status)).toEqual(['failed', 'settled']);
  });

  it('ends after a failure that the chain cannot repair, and releases the reservation', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    checkout.chain.state = PLENTY;
    const sessionKey = checkout.newKey();
    await checkout.pay(sale, checkout.newPayer(), { sessionKey });
    const [first] = await checkout.payments(sale);
    await checkout.chain.charges.refuse(first?._id ?? '', 'pull_reverted');
    expect(await outcome(sessionKey)).toMatchObject({
      outcome: { progress: 'ended', payment: { failureReason: 'pull_reverted' }, afterCompletion: null },
    });
    await looks();
    expect(await checkout.payments(sale)).toHaveLength(1);
    expect(await checkout.stock(sale)).toEqual([0, 0]);
  });

  it('waits while another reserves the last unit, and reserves it when that fails', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    const [one, other] = [await waiting(sale), await waiting(sale)];
    checkout.chain.state = PLENTY;
    await outcome(one);
    const [first] = await checkout.payments(sale);
    expect(await outcome(other)).toMatchObject({ outcome: { progress: 'waiting', waitsFor: 'sold_out' } });
    await checkout.chain.charges.refuse(first?._id ?? '', 'pull_reverted');
    expect(await outcome(other)).toMatchObject({ outcome: { progress: 'charging' } });
    expect(await checkout.stock(sale)).toEqual([0, 1]);
  });

  it('releases the reservation when the merchant cancels the payment, and ends', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    checkout.chain.state = PLENTY;
    const sessionKey = checkout.newKey();
    await checkout.pay(sale, checkout.newPayer(), { sessionKey });
    const [first] = await checkout.payments(sale);
    await sale.merchant.post(`/payments/${first?._id}/cancel`);
    expect(await checkout.stock(sale)).toEqual([0, 0]);
    expect(await outcome(sessionKey)).toMatchObject({ outcome: { progress: 'ended' } });
  });

  it('reserves the next charges of authorized subscriptions from the allowance', async () => {
    checkout.chain.state = PLENTY;
    const merchant = await checkout.merchant();
    const payer = checkout.newPayer();
    await checkout.subscribe(
      await checkout.offer({ name: 'Club', pricing: [monthly({ trialDays: 9 })] }, merchant),
      payer,
    );
    checkout.chain.state = { allowance: PRICE, balance: 10n * PRICE };
    const reply = await checkout.pay(await checkout.oneTime({}, merchant), payer);
    expect(reply.body).toMatchObject({
      asked: { least: '34.90', total: '143.80' },
      chain: { missingAllowance: '9.90', missingBalance: '0.00' },
      outcome: { waitsFor: 'allowance' },
    });
  });

  it('asks nobody to sign without a payout wallet', async () => {
    const merchant = await MerchantOverHttp.signUp(checkout.http, checkout.chain);
    const { offerId, priceId } = await checkout.oneTime({}, merchant);
    const { address } = checkout.newPayer();
    expect(await checkout.post(`/offers/${offerId}/challenges`, { address, priceId })).toMatchObject({
      status: 400,
      body: { error: 'The merchant has no payout wallet for USDC yet, so nobody can sign up' },
    });
  });

  it('waits while staff have taken the payout wallet away, and while the chain does not answer', async () => {
    const sale = await checkout.oneTime();
    const [wallet] = await checkout.http.store.records.find('wallets', {
      where: { merchantId: sale.merchant.id },
      limit: 1,
    });
    const receives = (receiverWallet: string | null) =>
      checkout.http.store.records.change('wallets', wallet?._id ?? '', {}, { set: { receiverWallet } });
    const body = await checkout.signed(sale, checkout.newPayer());
    await receives(null);
    checkout.chain.state = PLENTY;
    const reply = await checkout.post(`/offers/${sale.offerId}/payments`, body);
    expect(reply.body).toMatchObject({ outcome: { waitsFor: 'no_payout_wallet' } });
    await receives(CAROL);
    checkout.chain.state = null;
    const sessionKey = await waiting(sale);
    expect(await outcome(sessionKey)).toMatchObject({ chain: null, outcome: { waitsFor: 'chain' } });
  });

  it('ignores an approval that comes a day later', async () => {
    const sale = await checkout.oneTime();
    const sessionKey = await waiting(sale);
    checkout.later(24 * HOUR_MS);
    checkout.chain.state = PLENTY;
    await looks();
    expect(await outcome(sessionKey)).toMatchObject({ outcome: { progress: 'ended', payment: null } });
    expect(await checkout.payments(sale)).toEqual([]);
  });

  it('continues a payment that a process had noted but not made', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    const sessionKey = await waiting(sale);
    const { records } = checkout.http.store;
    const [session] = await records.find('checkoutSessions', { where: { offerId: sale.offerId }, limit: 1 });
    const paymentId = 'pay_01hm0000000000000000000009';
    await records.change('checkoutSessions', session?._id ?? '', {}, { push: { paymentIds: [paymentId] } });
    await records.change('offers', sale.offerId, {}, { push: { holds: [paymentId] } });
    await outcome(sessionKey);
    expect((await checkout.payments(sale)).map(({ _id }) => _id)).toEqual([paymentId]);
    await checkout.chain.charges.settle(paymentId);
    expect(await checkout.stock(sale)).toEqual([1, 0]);
  });

  it('releases the reservation that one check makes after another has closed the session', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    const sessionKey = await waiting(sale);
    checkout.chain.state = PLENTY;
    const { readAllowances } = checkout.chain;
    checkout.chain.readAllowances = async (reads) => {
      checkout.chain.readAllowances = readAllowances;
      checkout.later(24 * HOUR_MS);
      expect(await outcome(sessionKey)).toMatchObject({ outcome: { progress: 'ended' } });
      return readAllowances(reads);
    };
    expect(await outcome(sessionKey)).toMatchObject({ outcome: { progress: 'ended', payment: null } });
    expect(await checkout.stock(sale)).toEqual([0, 0]);
  });

  it('releases the reservation of a process that died after its session had closed', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    const sessionKey = await waiting(sale);
    checkout.later(24 * HOUR_MS);
    await outcome(sessionKey);
    const { records } = checkout.http.store;
    const [session] = await records.find('checkoutSessions', { where: { offerId: sale.offerId }, limit: 1 });
    if (!session) throw new Error('there is no session');
    const taken = derivedId('pay', session.createdAt, `${session._id}:1`);
    await records.change('offers', sale.offerId, {}, { push: { holds: [taken] } });
    await outcome(sessionKey);
    expect([session.closed, await checkout.stock(sale)]).toEqual(['expired', [0, 0]]);
  });

  it('ends with its customer and with its offer', async () => {
    const sale = await checkout.oneTime();
    const sessionKey = await waiting(sale);
    const [customer] = await checkout.customers(sale);
    await sale.merchant.delete(`/customers/${customer?._id}`);
    const other = await checkout.oneTime();
    const otherKey = await waiting(other);
    await other.merchant.delete(`/offers/${other.offerId}`);
    checkout.chain.state = PLENTY;
    for (const key of [sessionKey, otherKey]) {
      expect(await outcome(key)).toMatchObject({ outcome: { progress: 'ended', payment: null } });
    }
  });

  it('refuses a recurring option', async () => {
    const sale = await checkout.offer();
    const reply = await checkout.pay(sale, checkout.newPayer());
    expectError(reply, 400, 'priceId is a recurring pricing option; expected a one-time one');
  });
});
