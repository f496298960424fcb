import { z } from 'zod';
import type { DepositDoc } from '../../src/store/collections.ts';
import { arrival, deposit } from '../store/support/documents.ts';
import { ALICE, BOB } from '../support/bodies.ts';
import { expectError, useHttp } from '../support/http.ts';
import { REASON, staff } from './support/staff.ts';

const list = z.object({ deposits: z.array(z.looseObject({ id: z.string() })) });

const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const USDC_OF_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const ADDRESS = '0x00000000000000000000000000000000000d0e05';

const http = useHttp();
let made = 0;
/** Money that is held for a payment. */
async function held(change: Partial<DepositDoc> = {}) {
  made += 1;
  const suffix = String(made).padStart(26, '0');
  const { merchant } = await http.merchant();
  const now = http.now;
  const book = deposit({
    _id: `pay_${suffix}`,
    merchantId: merchant._id,
    chainId: 84532,
    address: ADDRESS,
    token: USDC,
    arrivals: [arrival({ id: `dep_${suffix}`, txHash: `0xsent${made}`, token: USDC, from: ALICE })],
    heldAt: now,
    createdAt: now,
    updatedAt: now,
    ...change,
  });
  await http.store.records.insert('deposits', [book]);
  return { book, merchantId: merchant._id, paymentId: book._id, depositId: `dep_${suffix}` };
}

describe('GET /staff/api/deposits', () => {
  it('lists held deposits, the last ones first', async () => {
    const [first, second] = [await held({ heldAt: new Date(1_000) }), await held({ heldAt: new Date(2_000) })];
    const { status, body } = await staff(http, 'GET', '/deposits?limit=100');
    expect(status).toBe(200);
    expect(body).toMatchObject({ limit: 100, start: 0 });
    const { deposits } = list.parse(body);
    const positions = [second, first].map(({ depositId }) => deposits.findIndex(({ id }) => id === depositId));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(deposits[positions[0] ?? 0]).toMatchObject({
      paymentId: second.paymentId,
      tokenKey: 'usdc-base-sepolia',
      amount: '12.00',
      charged: '10.00',
      left: '2.00',
      fate: 'held',
      held: 'no_refund_wallet',
    });
  });
});

describe('GET /staff/api/payments/{paymentId}/deposits', () => {
  it('shows everything that has arrived, and answers 404 for a payment without a deposit', async () => {
    const { paymentId, depositId } = await held();
    const { body } = await staff(http, 'GET', `/payments/${paymentId}/deposits`);
    expect(body).toMatchObject({ deposits: [{ id: depositId }] });
    expect((await staff(http, 'GET', '/payments/pay_unknown/deposits')).status).toBe(404);
  });
});

describe('POST /staff/api/deposits/{depositId}/send', () => {
  it('sends the rest once, with the reason in the journal', async () => {
    const { depositId, paymentId, merchantId } = await held();
    const { status, body } = await staff(http, 'POST', `/deposits/${depositId}/send`, { to: BOB, reason: REASON });
    expect({ status, body }).toMatchObject({ status: 200, body: { fate: 'refunding', refundTo: BOB, left: '2.00' } });
    const charges = await http.store.records.find('charges', { where: { paymentId }, limit: 5 });
    expect(charges).toMatchObject([{ gross: '2000000', from: ADDRESS, shares: [{ to: BOB }], state: 'waiting' }]);
    const journal = await staff(http, 'GET', `/merchants/${merchantId}/journal`);
    expect(journal.body).toMatchObject({
      entries: [{ action: 'deposit.sent', reason: REASON, details: { depositId, amount: '2000000', to: BOB } }],
    });
    const again = await staff(http, 'POST', `/deposits/${depositId}/send`, { to: ALICE, reason: REASON });
    expectError(again, 409, 'Deposit is refunding; send needs held');
  });

  it('sends to the refund wallet by default', async () => {
    const { depositId } = await held({ refundWallet: BOB });
    const { body } = await staff(http, 'POST', `/deposits/${depositId}/send`, { reason: REASON });
    expect(body).toMatchObject({ fate: 'refunding', refundTo: BOB });
  });

  it.each([
    ['no address where there is no refund wallet', { reason: REASON }, 'to is required'],
    ['what is no address', { to: 'bob', reason: REASON }, 'to must be an EVM address'],
    ['the deposit address itself', { to: ADDRESS, reason: REASON }, 'to must be neither'],
    ['a token of another chain', { to: USDC_OF_BASE, reason: REASON }, 'to must not be the address of a token'],
    ['no reason', { to: BOB }, 'reason'],
  ])('refuses %s', async (_, body, message) => {
    const { depositId } = await held();
    expectError(await staff(http, 'POST', `/deposits/${depositId}/send`, body), 400, expect.stringContaining(message));
  });
});
