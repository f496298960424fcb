import { Wallet } from 'ethers';
import type { Budget } from '../../src/store/collections.ts';
import { dayOf } from '../../src/store/windows.ts';
import { staff } from '../staff/support/staff.ts';
import { ALICE, BOB, CAROL, paymentBody } from '../support/bodies.ts';
import type { Reply } from '../support/http.ts';
import { mandateDoc } from '../support/mandate-doc.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';

const DAY_MS = 24 * 3_600_000;
const REASON = 'a test';

let merchant: MerchantOverHttp;
beforeEach(async () => {
  merchant = await MerchantOverHttp.open();
});

/** Spends this of the merchant's budget of the day. */
async function spent(budget: Budget, count: number): Promise<void> {
  const { name, resetAt } = dayOf(merchant.http.now);
  await merchant.http.store.counters.add(`budget/${budget}/${merchant.id}/test/${name}`, count, resetAt);
}

async function setBudget(budget: Budget, perDay: number): Promise<void> {
  const body = { [budget]: perDay, reason: REASON };
  expect((await staff(merchant.http, 'PATCH', `/merchants/${merchant.id}`, body)).status).toBe(200);
}

function expectOverBudget(reply: Reply, limit: number): void {
  expect(reply).toMatchObject({
    status: 429,
    body: { error: expect.stringMatching(/^Rate limit exceeded: too many/) },
  });
  const [scope, most] = ['scope', 'limit'].map((name) => reply.headers.get(`x-ratelimit-${name}`));
  expect([scope, most]).toEqual(['day', String(limit)]);
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
}

describe('payments from or to wallets that a merchant has never used', () => {
  const newWallet = () => Wallet.createRandom().address;
  let payments = 0;

  function pay(change: object): Promise<Reply> {
    payments += 1;
    return merchant.post('/payments', paymentBody({ idempotencyKey: `pay-${payments}`, ...change }));
  }

  function transfer(): Promise<Reply> {
    return pay({ paymentMethod: 'wallet_transfer', fromWallet: undefined, amount: '0.000001' });
  }

  /** The status of a payment that is charged. */
  async function charged(change: object = {}): Promise<number> {
    const asked = pay(change);
    await merchant.chain.charges.settle((await merchant.chain.charges.waiting()).paymentId);
    return (await asked).status;
  }

  it('are limited per day; payments between known wallets are not counted', async () => {
    expect(await charged()).toBe(201);
    await spent('newWalletsPerDay', 1_997);
    expect(await charged()).toBe(201);
    expect(await charged({ toWallet: CAROL })).toBe(201);
    expect(await charged({ fromWallet: newWallet(), toWallet: CAROL })).toBe(201);
    expectOverBudget(await pay({ toWallet: newWallet() }), 2_000);
    expectOverBudget(await pay({ fromWallet: newWallet() }), 2_000);
    expect(await merchant.http.store.records.count('idempotencyKeys', { merchantId: merchant.id })).toBe(4);
    expect(await charged({ toWallet: CAROL })).toBe(201);
    merchant.later(DAY_MS);
    expect(await charged({ toWallet: newWallet() })).toBe(201);
  });

  it('have every payment to a deposit address among them, because nobody knows its payer', async () => {
    await spent('newWalletsPerDay', 1_998);
    expect([(await transfer()).status, (await transfer()).status]).toEqual([201, 201]);
    expectOverBudget(await transfer(), 2_000);
    await setBudget('newWalletsPerDay', 2_001);
    expect((await transfer()).status).toBe(201);
  });
});

describe('announcements of payout wallets', () => {
  beforeEach(async () => {
    const { chainId, router } = merchant.chain;
    const of = { merchantId: merchant.id, mode: 'test', chainId, router, createdAt: merchant.http.now } as const;
    await merchant.http.store.records.insert('mandates', [mandateDoc({ ...of, payees: [BOB] })]);
    merchant.later(1_000);
  });

  function register(receiverWallet: string): Promise<Reply> {
    return merchant.post('/wallets', { tokenKey: 'usdc-local-evm', receiverWallet });
  }

  it('are limited per day: over the budget the change of the wallet is refused, and nothing changes', async () => {
    await spent('announcementsPerDay', 19);
    expect((await register(ALICE)).status).toBe(200);
    expectOverBudget(await register(CAROL), 20);
    expectOverBudget(await merchant.post('/wallets', { tokenKey: 'usdt-local-evm', receiverWallet: CAROL }), 20);
    expect((await merchant.get('/wallets')).body).toMatchObject({ wallets: [{ receiverWallet: ALICE }] });
    await merchant.billing.quiet();
    const announced = await merchant.http.store.records.find('announcements', { where: {}, limit: 9 });
    expect(announced.map(({ payee }) => payee)).toEqual([ALICE]);
    // An address that is announced already costs nothing.
    expect((await register(ALICE)).status).toBe(200);
  });

  it('are limited for staff too, who can change the budget', async () => {
    const body = { mode: 'test', tokenKey: 'usdc-local-evm', receiverWallet: CAROL, reason: REASON };
    const set = () => staff(merchant.http, 'PUT', `/merchants/${merchant.id}/wallets`, body);
    await setBudget('announcementsPerDay', 0);
    expectOverBudget(await set(), 0);
    await setBudget('announcementsPerDay', 1);
    expect((await set()).status).toBe(200);
  });
});

describe('a cycle', () => {
  it('is charged when every budget is spent, from a wallet that was never seen', async () => {
    const id = await merchant.subscribe();
    for (const budget of ['signUpsPerDay', 'newWalletsPerDay', 'announcementsPerDay'] as const) {
      await setBudget(budget, 0);
    }
    await merchant.settleCharge(id);
    expect(await merchant.subscription(id)).toMatchObject({ status: 'active', context: { lastCycle: 1 } });
  });
});
