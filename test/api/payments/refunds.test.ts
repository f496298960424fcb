import { z } from 'zod';
import { sendableRefundSchema } from '../../../src/api/views/refund.ts';
import type { FoundRefund } from '../../../src/chains/port.ts';
import { NOTHING, PLENTY } from '../../../stage/scripted-chain.ts';
import { ALICE, BOB, CAROL, paymentBody } from '../../support/bodies.ts';
import { expectError, idOf, type Reply } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const WEEK_MS = 7 * 86_400_000;

const merchant = await MerchantOverHttp.open();
const { chain, billing, http } = merchant;

let made = 0;

beforeEach(() => {
  chain.state = PLENTY;
  [chain.refunded, chain.dropped] = [[], []];
});

function refund(paymentId: string, change: object = {}): Promise<Reply> {
  made += 1;
  return merchant.post(`/payments/${paymentId}/refunds`, { idempotencyKey: `key-${made}`, ...change });
}

async function shown(paymentId: string, refundId: string) {
  return z
    .looseObject({ status: z.string() })
    .parse((await merchant.get(`/payments/${paymentId}/refunds/${refundId}`)).body);
}

/** Newest first. */
async function eventsAbout(refundId: string) {
  const event = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) });
  const { events } = z.object({ events: z.array(event) }).parse((await merchant.get('/events')).body);
  return events.filter(({ data }) => data['refundId'] === refundId);
}

describe('POST /payments/{paymentId}/refunds 201', () => {
  it('shows the refund with the transactions for the wallet that was paid', async () => {
    const paymentId = await merchant.paid();
    chain.state = NOTHING;
    const { status, body } = await refund(paymentId, { amount: '4', reason: 'broken', idempotencyKey: 'one' });
    expect(status).toBe(201);
    const { transactions, balance, ...shown } = sendableRefundSchema.parse(body);
    expect(shown).toMatchObject({
      id: expect.stringMatching(/^ref_/),
      paymentId,
      source: 'merchant',
      status: 'requested',
      amount: '4.00',
      tokenKey: 'usdc-local-evm',
      chainId: 31337,
      toWallet: ALICE,
      reason: 'broken',
      txHash: null,
      idempotencyKey: 'one',
      isSandbox: true,
      createdAt: '2030-01-15T10:00:00.000Z',
      expiresAt: '2030-01-22T10:00:00.000Z',
    });
    expect(transactions).toMatchObject([
      { family: 'evm', purpose: 'approve', from: BOB, value: '0' },
      { family: 'evm', purpose: 'refund', from: BOB, value: '0' },
    ]);
    expect(balance).toBe('0.00');
  });

  it('asks for no approval that the wallet has given, and takes one back that is too small', async () => {
    const paymentId = await merchant.paid();
    const purposes = ({ body }: Reply) => sendableRefundSchema.parse(body).transactions?.map(({ purpose }) => purpose);
    expect(purposes(await refund(paymentId, { amount: '1', fromWallet: CAROL }))).toEqual(['refund']);
    chain.state = { allowance: 1n, balance: 10n ** 12n };
    expect(purposes(await refund(paymentId, { amount: '1' }))).toEqual(['approve', 'approve', 'refund']);
  });

  it('takes what is left without an amount, also while the chain does not answer', async () => {
    const paymentId = await merchant.paid();
    await refund(paymentId, { amount: '2.5' });
    chain.state = null;
    expect(await refund(paymentId)).toMatchObject({ status: 201, body: { amount: '7.50', transactions: null } });
  });

  it('answers a repeat with the same refund, and says that its body was another', async () => {
    const paymentId = await merchant.paid();
    const first = await refund(paymentId, { amount: '4.00', idempotencyKey: 'same' });
    const again = await refund(paymentId, { amount: '4', idempotencyKey: 'same' });
    const other = await refund(paymentId, { amount: '5', idempotencyKey: 'same' });
    expect([again.status, again.body, again.headers.get('idempotency-mismatch')]).toEqual([200, first.body, null]);
    expect([other.status, other.body, other.headers.get('idempotency-mismatch')]).toEqual([200, first.body, 'true']);
  });

  it('makes one of two that together are more than was paid', async () => {
    const paymentId = await merchant.paid();
    const both = await Promise.all([refund(paymentId, { amount: '6' }), refund(paymentId, { amount: '6' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});

describe('POST /payments/{paymentId}/refunds 400 and 409', () => {
  it.each([
    ['0', 'amount must be more than zero'],
    ['1.1234567', 'amount must have at most 6 decimal places, as many as the token has'],
    ['-1', 'amount must be a decimal string such as "9.90", with at most 30 digits and 18 decimal places'],
  ])('refuses the amount %s', async (amount, error) => {
    expectError(await refund(await merchant.paid(), { amount }), 400, error);
  });

  it('says what is left', async () => {
    const paymentId = await merchant.paid();
    await refund(paymentId, { amount: '7' });
    const error = 'amount must be at most 3.00 USDC: the refunds of a payment return no more than the 10.00 USDC paid';
    expectError(await refund(paymentId, { amount: '3.01' }), 409, error);
    await refund(paymentId);
    const none = 'Nothing is left to refund: settled and requested refunds are the 10.00 USDC paid';
    expectError(await refund(paymentId), 409, none);
  });

  it('refuses a payment that is not settled', async () => {
    const asked = merchant.post('/payments', paymentBody({ idempotencyKey: 'unsettled' }));
    const { paymentId } = await chain.charges.waiting();
    expectError(await refund(paymentId), 409, 'Payment is pending; refund needs settled');
    await chain.charges.refuse(paymentId, 'insufficient_balance');
    await asked;
    expectError(await refund(paymentId), 409, 'Payment is failed; refund needs settled');
  });

  it('says that a named wallet has too little', async () => {
    const paymentId = await merchant.paid();
    chain.stateOf = (wallet) => (wallet === CAROL ? { allowance: 0n, balance: 1_000_000n } : chain.state);
    const error = 'fromWallet has 1.00 USDC; refund needs 2.00';
    expectError(await refund(paymentId, { amount: '2', fromWallet: CAROL }), 409, error);
    expectError(
      await refund(paymentId, { fromWallet: 'nowhere' }),
      400,
      expect.stringMatching(/^fromWallet must be an EVM/),
    );
    expect(await merchant.get(`/payments/${paymentId}/refunds`)).toMatchObject({ body: { refunds: [] } });
  });
});

describe('a transfer of the merchant', () => {
  it('settles the refund whose amount and receiver it has, tells the merchant once, and counts', async () => {
    const paymentId = await merchant.paid();
    await merchant.patch('/webhooks/endpoint', { extraEvents: true });
    const id = idOf(await refund(paymentId, { amount: '4' }));
    await merchant.sentBack(paymentId, { amount: 3_999_999n });
    await merchant.sentBack(paymentId, { receiver: CAROL });
    expect(await shown(paymentId, id)).toMatchObject({ status: 'requested' });
    const { transaction } = await merchant.sentBack(paymentId, { receiver: ALICE.toLowerCase() });
    await merchant.checkRefunds(paymentId);
    expect(await shown(paymentId, id)).toMatchObject({
      status: 'settled',
      txHash: transaction,
      settledAt: '2030-01-15T10:00:00.000Z',
      transactions: null,
    });
    expect(await merchant.get(`/payments/${paymentId}`)).toMatchObject({ body: { refundedAmount: '4.00' } });
    const { body } = await merchant.get('/events?event=payment.refunded');
    expect(body).toMatchObject({ events: [{ data: { source: 'one_time', paymentId, refundId: id } }], hasMore: false });
  });

  it('shows everybody that a wallet has sent it, until a block has it', async () => {
    const paymentId = await merchant.paid();
    const [id, other] = [
      idOf(await refund(paymentId, { amount: '4' })),
      idOf(await refund(paymentId, { amount: '5' })),
    ];
    const path = `/payments/${paymentId}/refunds`;
    const sentByWallet = { txHash: '0xpending', at: '2030-01-15T10:00:00.000Z' };
    const told = await merchant.post(`${path}/${id}/sent`, { txHash: '0xpending' });
    expect(told).toMatchObject({ status: 200, body: { id, status: 'requested', txHash: null, sentByWallet } });
    const shows = [
      { id: other, sentByWallet: null },
      { id, sentByWallet },
    ];
    expect((await merchant.get(path)).body).toMatchObject({ refunds: shows });
    expect(await shown(paymentId, id)).toMatchObject({ sentByWallet });
    expect((await merchant.get(`/payments/${paymentId}`)).body).toMatchObject({ refundedAmount: '0.00' });
    await merchant.sentBack(paymentId);
    const settled = { status: 'settled', sentByWallet: null };
    expect(await merchant.post(`${path}/${id}/sent`, {})).toMatchObject({ status: 200, body: settled });
    expect(await shown(paymentId, id)).toMatchObject(settled);
  });

  it('is `sent` until it is deep enough, and makes one refund of two equal ones', async () => {
    const paymentId = await merchant.paid();
    const [first, second] = [
      idOf(await refund(paymentId, { amount: '4' })),
      idOf(await refund(paymentId, { amount: '4' })),
    ];
    const sent = await merchant.sentBack(paymentId, { isFinal: false });
    expect(await shown(paymentId, first)).toMatchObject({ status: 'sent' });
    chain.refunded = [{ ...sent, isFinal: true }];
    await merchant.checkRefunds(paymentId);
    expect(await shown(paymentId, first)).toMatchObject({ status: 'settled' });
    expect(await shown(paymentId, second)).toMatchObject({ status: 'requested' });
  });

  it('is in the revenue of the day of the payment, apart from what settled', async () => {
    const merchant = await MerchantOverHttp.signUp(http, chain);
    const [paymentId] = [await merchant.paid(), await merchant.paid()];
    for (const amount of ['4', '1.5'])
      await merchant.post(`/payments/${paymentId}/refunds`, { amount, idempotencyKey: amount });
    const figures = async () => {
      const { body } = await merchant.get('/revenue');
      return z.object({ periods: z.array(z.object({ settled: z.unknown(), refunded: z.unknown() })) }).parse(body)
        .periods;
    };
    const settled = { count: 2, amount: '20.00' };
    expect(await figures()).toEqual([{ settled, refunded: { count: 0, amount: '0.00' } }]);
    await merchant.sentBack(paymentId);
    const second = await merchant.sentBack(paymentId, { amount: 1_500_000n });
    expect(await figures()).toEqual([{ settled, refunded: { count: 1, amount: '5.50' } }]);
    chain.dropped = [second];
    chain.refunded = chain.refunded.filter((each) => each !== second);
    await merchant.checkRefunds(paymentId);
    expect(await figures()).toEqual([{ settled, refunded: { count: 1, amount: '4.00' } }]);
  });

  it('that a reorg drops is waited for again, and the books of the merchant hear of both', async () => {
    await merchant.patch('/webhooks/endpoint', { extraEvents: true });
    const paymentId = await merchant.paid();
    const id = idOf(await refund(paymentId, { amount: '4' }));
    const sent = await merchant.sentBack(paymentId, { isFinal: false });
    const see = async (refunded: FoundRefund[], dropped: FoundRefund[]) => {
      [chain.refunded, chain.dropped] = [refunded, dropped];
      await merchant.checkRefunds(paymentId);
    };
    await see([], [sent]);
    const final = { ...sent, isFinal: true };
    await see([final], []);
    await see([{ ...final, block: { number: 6, hash: '0xb6' } }], []);
    await see([], [final]);
    expect(await shown(paymentId, id)).toMatchObject({ status: 'requested', txHash: null });
    expect(await merchant.get(`/payments/${paymentId}`)).toMatchObject({ body: { refundedAmount: '0.00' } });
    await see([final], []);
    const data = { source: 'one_time', paymentId, refundId: id };
    const told = ['payment.refunded', 'payment.refund_reversed', 'payment.refunded'];
    expect(await eventsAbout(id)).toEqual(told.map((event) => ({ event, data })));
  });

  it('of a cycle is told with the subscription', async () => {
    await merchant.patch('/webhooks/endpoint', { extraEvents: true });
    const subscriptionId = await merchant.subscribeAndPay();
    const { body } = await merchant.get(`/payments?subscriptionId=${subscriptionId}`);
    const [{ id: paymentId, fromWallet }] = Reflect.get(Object(body), 'payments');
    const refundId = idOf(await refund(paymentId));
    const made = await merchant.sentBack(paymentId, { receiver: fromWallet, amount: 9_900_000n });
    [chain.refunded, chain.dropped] = [[], [made]];
    await merchant.checkRefunds(paymentId);
    const invoiceId = `sub-pay-${paymentId.slice('pay_'.length)}`;
    const data = { source: 'subscription', subscriptionId, invoiceId, refundId };
    const told = ['payment.refund_reversed', 'payment.refunded'];
    expect(await eventsAbout(refundId)).toEqual(told.map((event) => ({ event, data })));
  });
});

describe('a refund that nobody sends', () => {
  it('expires after a week, and counts all the same when the transfer comes late', async () => {
    const paymentId = await merchant.paid();
    const id = idOf(await refund(paymentId, { amount: '4' }));
    merchant.later(WEEK_MS);
    await billing.engine.dispatchDue('payment');
    expect(await shown(paymentId, id)).toMatchObject({ status: 'expired', transactions: null });
    expect(await refund(paymentId)).toMatchObject({ body: { amount: '10.00' } });
    await merchant.sentBack(paymentId);
    expect(await shown(paymentId, id)).toMatchObject({ status: 'settled' });
  });

  it('is given up by the merchant while it is requested, and not later', async () => {
    const paymentId = await merchant.paid();
    const id = idOf(await refund(paymentId, { amount: '4' }));
    const cancel = () => merchant.post(`/payments/${paymentId}/refunds/${id}/cancel`);
    expect(await cancel()).toMatchObject({ status: 200, body: { status: 'failed', failureReason: 'canceled' } });
    expectError(await cancel(), 409, 'Refund is failed; cancel needs requested');
    expectError(await merchant.post(`/payments/${paymentId}/refunds/ref_none/cancel`), 404, 'Not found');
    expect(await refund(paymentId, { amount: '10' })).toMatchObject({ status: 201 });
  });
});

// The last ones: a refund of a deposit is a charge that waits.
describe('a payment that was made by transfer', () => {
  /** It has settled, and had 3.00 more than was due. */
  async function transfer(change: object = {}): Promise<string> {
    made += 1;
    const body = {
      paymentMethod: 'wallet_transfer',
      fromWallet: undefined,
      idempotencyKey: `transfer-${made}`,
      ...change,
    };
    const reply = await merchant.post('/payments', paymentBody(body));
    const to = String(Reflect.get(Object(reply.body), 'depositAddress'));
    chain.sent.push({ to, amount: 13_000_000n });
    await billing.deps.deposits.check([idOf(reply)]);
    await chain.charges.settle(idOf(reply));
    return idOf(reply);
  }

  it('is refunded to its refund wallet, and lists what was left of the deposit too', async () => {
    const paymentId = await transfer({ refundWallet: CAROL });
    expect(await refund(paymentId, { amount: '2' })).toMatchObject({ status: 201, body: { toWallet: CAROL } });
    const { body } = await merchant.get(`/payments/${paymentId}/refunds`);
    expect(body).toMatchObject({
      refunds: [
        { source: 'merchant', status: 'requested', amount: '2.00', toWallet: CAROL },
        { source: 'deposit', status: 'requested', amount: '3.00', toWallet: CAROL, expiresAt: null },
      ],
    });
  });

  it('without a refund wallet says who can name one', async () => {
    const paymentId = await transfer();
    const error = 'Payment is a wallet_transfer without refundWallet; refund needs one: it was made without one';
    expectError(await refund(paymentId), 409, error);
    await billing.store.records.change('deposits', paymentId, {}, { set: { refundWallet: CAROL } });
    expect(await refund(paymentId)).toMatchObject({ status: 201, body: { toWallet: CAROL } });
  });
});
