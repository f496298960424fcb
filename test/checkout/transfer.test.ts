import { notifyRefund } from '../../src/billing/deposits/others.ts';
import { createChains } from '../../src/chains/registry.ts';
import { noFaults } from '../../src/engine/faults.ts';
import { PAYMENT_SESSIONS_PER_DAY } from '../../src/http/middleware/rate-limit.ts';
import { dayOf } from '../../src/store/windows.ts';
import { NOTHING } from '../../stage/scripted-chain.ts';
import { staff } from '../staff/support/staff.ts';
import { ALICE, BOB, monthly } from '../support/bodies.ts';
import { expectError } from '../support/http.ts';
import { CheckoutOverHttp } from './support/checkout.ts';

const HOUR_MS = 3_600_000;
const PRICE = 25_000_000n;

const checkout = await CheckoutOverHttp.start();
beforeEach(() => {
  checkout.chain.sent = [];
  checkout.later(60_000);
});

/** Time is up, and everything that follows from it has happened. */
async function expire(): Promise<void> {
  checkout.later(HOUR_MS);
  await checkout.wake('payment');
}

describe('POST …/payments with wallet_transfer', () => {
  it('needs no wallet and no signature, and shows the address, the amount and the deadline', async () => {
    const sale = await checkout.oneTime();
    const change = { collected: { email: 'ada@example.com', size: 'XL' }, refundWallet: ALICE };
    const { reply, address } = await checkout.transfer(sale, change);
    const [payment] = await checkout.payments(sale);
    expect(reply).toMatchObject({
      status: 201,
      body: {
        kind: 'payment',
        paymentMethod: 'wallet_transfer',
        wallet: null,
        chain: null,
        asked: { amount: '25.00', total: '25.00' },
        deposit: {
          amount: '25.00',
          amountBaseUnits: '25000000',
          arrived: '0.00',
          confirmed: '0.00',
          expiresAt: new Date(checkout.http.now.getTime() + HOUR_MS).toISOString(),
        },
        outcome: { progress: 'waiting', waitsFor: 'deposit', payment: { id: payment?._id, status: 'pending' } },
      },
    });
    expect(address).toMatch(/^0x[0-9a-f]{40}$/);
    const [customer] = await checkout.customers(sale);
    expect(customer).toMatchObject({ email: 'ada@example.com', wallets: [] });
    expect(await sale.merchant.get(`/payments/${payment?._id}`)).toMatchObject({
      body: {
        paymentMethod: 'wallet_transfer',
        customerId: customer?._id,
        offerId: sale.offerId,
        fromWallet: null,
        refundWallet: ALICE,
        metadata: { size: 'XL' },
      },
    });
    expect(await checkout.stock(sale)).toEqual([0, 0]);
  });

  it('accepts only one-time prices', async () => {
    const sale = await checkout.offer({ pricing: [monthly()] });
    expect((await checkout.transfer(sale)).reply).toMatchObject({ status: 400 });
  });
});

describe('the session of a transfer', () => {
  it('shows the arrived money, and completes when enough has arrived and settled', async () => {
    const sale = await checkout.oneTime();
    const { address, poll } = await checkout.transfer(sale);
    await checkout.arrives(address, 10_000_000n);
    expect(await poll()).toMatchObject({
      body: {
        deposit: { address, arrived: '10.00', confirmed: '10.00' },
        outcome: { progress: 'waiting', waitsFor: 'deposit' },
      },
    });
    await checkout.arrives(address, PRICE - 10_000_000n);
    const [payment] = await checkout.payments(sale);
    const [charge] = await checkout.http.store.records.find('charges', { where: { from: address }, limit: 2 });
    expect(charge).toMatchObject({ gross: '25000000', deposit: { kind: 'charge' }, paymentId: payment?._id });
    expect(await poll()).toMatchObject({ body: { outcome: { progress: 'charging', waitsFor: null } } });
    await checkout.chain.charges.settle(payment?._id ?? '');
    expect(await poll()).toMatchObject({
      body: {
        deposit: { address: null, arrived: '25.00' },
        outcome: { progress: 'completed', payment: { status: 'settled' } },
      },
    });
    expect(await checkout.stock(sale)).toEqual([1, 0]);
  });

  it('ends when time is up, releases the reservation, and refunds the deposit', async () => {
    const sale = await checkout.oneTime();
    const { address, poll } = await checkout.transfer(sale, { refundWallet: ALICE });
    await checkout.arrives(address, 10_000_000n);
    await expire();
    expect(await poll()).toMatchObject({
      body: { outcome: { progress: 'ended', payment: { status: 'failed', failureReason: 'insufficient_balance' } } },
    });
    expect(await checkout.stock(sale)).toEqual([0, 0]);
    const [refund] = await checkout.http.store.records.find('charges', { where: { from: address }, limit: 2 });
    expect(refund).toMatchObject({ gross: '10000000', deposit: { kind: 'refund' }, shares: [{ to: ALICE }] });
  });

  it('gets its payment and reserves nothing if its process died before, and nobody asks again', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    checkout.onFault = async (point, detail) => {
      if (point === 'commit.before' && detail === 'deposit.watch') throw new Error('the process is no more');
    };
    await checkout.transfer(sale);
    checkout.onFault = noFaults;
    expect([await checkout.payments(sale), await checkout.stock(sale)]).toEqual([[], [0, 0]]);
    for (let check = 0; check < 4; check += 1) {
      checkout.later(HOUR_MS);
      await checkout.billing.watcher.checkDue();
      await checkout.wake('payment');
    }
    expect(await checkout.payments(sale)).toMatchObject([{ status: 'failed' }]);
    expect(await checkout.stock(sale)).toEqual([0, 0]);
    const watches = await checkout.http.store.records.find('watches', {
      where: { merchantId: sale.merchant.id },
      limit: 9,
    });
    expect(watches.map(({ _id }) => _id)).toEqual([expect.stringMatching(/^pay_/)]);
  });

  it('is refunded by staff even if the process died after the decision, long after the watch has ended', async () => {
    const sale = await checkout.oneTime();
    const { address } = await checkout.transfer(sale, { refundWallet: ALICE });
    await checkout.arrives(address, 5_000n);
    await expire();
    checkout.later(31 * 24 * HOUR_MS);
    await checkout.billing.watcher.checkDue();
    const [payment] = await checkout.payments(sale);
    const { records } = checkout.http.store;
    const [book] = await records.get('deposits', [payment?._id ?? '']);
    expect(book?.arrivals).toMatchObject([{ fate: 'held', held: 'below_cost' }]);
    const order = { to: ALICE, reason: 'the payer has asked for it' };
    const send = () => staff(checkout.http, 'POST', `/deposits/${book?.arrivals[0]?.id}/send`, order);
    const { insert } = records;
    records.insert = async (into, docs) => {
      if (into === 'charges') throw new Error('the process is no more');
      return insert.call(records, into, docs);
    };
    expect((await send()).status).toBe(500);
    records.insert = insert;
    expect((await send()).status).toBe(409);
    checkout.later(60_000);
    await checkout.billing.watcher.checkDue();
    await checkout.billing.quiet();
    const [refund] = await records.find('charges', { where: { from: address }, limit: 2 });
    expect(refund).toMatchObject({ gross: '5000', deposit: { kind: 'refund' }, shares: [{ to: ALICE }] });
  });
});

describe('the last unit of an offer', () => {
  it('is not reserved by sessions that no wallet has signed, however many there are', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    for (let session = 0; session < 3; session += 1) expect((await checkout.transfer(sale)).reply.status).toBe(201);
    expect(await checkout.stock(sale)).toEqual([0, 0]);
    const payer = checkout.newPayer();
    checkout.chain.state = { ...checkout.chain.state, allowance: PRICE, balance: PRICE };
    expect((await checkout.pay(sale, payer)).status).toBe(201);
    expect(await checkout.stock(sale)).toEqual([0, 1]);
    checkout.chain.state = NOTHING;
  });

  it('is reserved for a transfer when the whole amount has arrived, not for a part of it', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    const [first, second] = [await checkout.transfer(sale), await checkout.transfer(sale)];
    await checkout.arrives(first.address, PRICE - 1n);
    expect(await checkout.stock(sale)).toEqual([0, 0]);
    await checkout.arrives(second.address, PRICE);
    expect(await checkout.stock(sale)).toEqual([0, 1]);
    // The page tells the first payer to send nothing more.
    expect(await first.poll()).toMatchObject({ body: { outcome: { progress: 'waiting', waitsFor: 'sold_out' } } });
    expect(await second.poll()).toMatchObject({ body: { outcome: { progress: 'charging' } } });
  });

  it('that is sold when a transfer arrives cancels its payment, and the money is held or refunded', async () => {
    const sale = await checkout.oneTime({ availableQuantity: 1 });
    const [held, refunded, paid] = [
      await checkout.transfer(sale),
      await checkout.transfer(sale, { refundWallet: ALICE }),
      await checkout.transfer(sale),
    ];
    for (const { address } of [paid, held, refunded]) await checkout.arrives(address, PRICE);
    expect(await checkout.stock(sale)).toEqual([0, 1]);
    const outcome = { progress: 'ended', payment: { status: 'canceled', blockedReason: 'sold_out' } };
    const unused = { amount: '25.00', ticker: 'USDC' };
    expect(await held.poll()).toMatchObject({
      body: { outcome, deposit: { address: null, unused: [{ ...unused, fate: 'held', held: 'no_refund_wallet' }] } },
    });
    expect(await refunded.poll()).toMatchObject({
      body: { outcome, deposit: { unused: [{ ...unused, fate: 'refunding', to: ALICE }] } },
    });
    const charges = await checkout.http.store.records.find('charges', {
      where: { merchantId: sale.merchant.id },
      limit: 9,
    });
    expect(charges.map(({ from, deposit }) => [from, deposit?.kind]).sort()).toEqual(
      [
        [paid.address, 'charge'],
        [refunded.address, 'refund'],
      ].sort(),
    );
    const payments = await checkout.payments(sale);
    const soldOut = payments.find(({ status }) => status === 'canceled');
    expect(await sale.merchant.get(`/payments/${soldOut?._id}`)).toMatchObject({
      body: { status: 'canceled', blockedReason: 'sold_out', failureReason: null },
    });
  });
});

describe('new payment sessions', () => {
  const TOO_MANY = {
    status: 429,
    body: { error: expect.stringMatching(/^Rate limit exceeded: too many .* tomorrow$/) },
  };

  /** The sessions of this subject that are counted today. */
  function counted(subject: string, sessions: number): Promise<number> {
    const { name, resetAt } = dayOf(checkout.http.now);
    return checkout.http.store.counters.add(`${subject}/${name}`, sessions, resetAt);
  }

  beforeEach(() => checkout.later(24 * HOUR_MS));

  it('by transfer are limited per day and IP address, so that nobody makes the service watch more addresses', async () => {
    const sale = await checkout.oneTime();
    const first = await checkout.transfer(sale);
    await counted('ip/checkout-transfer/127.0.0.1', PAYMENT_SESSIONS_PER_DAY - 2);
    expect((await checkout.transfer(sale)).reply.status).toBe(201);
    const { reply, poll } = await checkout.transfer(sale);
    expect(reply).toMatchObject(TOO_MANY);
    expect([reply.headers.get('x-ratelimit-scope'), reply.headers.get('x-ratelimit-limit')]).toEqual(['day', '100']);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await poll()).status).toBe(404);
    // A repetition opens nothing, and a wallet that signs is counted by itself.
    const again = await checkout.post(`/offers/${sale.offerId}/payments`, first.body);
    expect(again).toMatchObject({ status: 200, body: first.reply.body });
    expect([(await checkout.payments(sale)).length, (await checkout.customers(sale)).length]).toEqual([2, 2]);
    expect((await checkout.pay(sale, checkout.newPayer())).status).toBe(201);
    checkout.later(24 * HOUR_MS);
    expect((await checkout.transfer(sale)).reply.status).toBe(201);
  });

  it('by sign-up are limited per day, merchant and network, whatever wallets sign', async () => {
    const [sale, other] = [await checkout.offer(), await checkout.offer()];
    await counted(`budget/signUpsPerDay/${sale.merchant.id}/test/127.0.0.0/24`, 299);
    const last = await checkout.signed(sale, checkout.newPayer());
    expect((await checkout.post(`/offers/${sale.offerId}/subscriptions`, last)).status).toBe(201);
    const refused = await checkout.subscribe(sale, checkout.newPayer());
    expect(refused).toMatchObject(TOO_MANY);
    expect(refused.headers.get('x-ratelimit-scope')).toBe('day');
    expect(await checkout.subscriptions(sale)).toHaveLength(1);
    // A repetition is no sign-up, and another merchant has a limit of its own.
    expect((await checkout.post(`/offers/${sale.offerId}/subscriptions`, last)).status).toBe(200);
    expect((await checkout.subscribe(other, checkout.newPayer())).status).toBe(201);
  });

  it('of payers whom the proxy does not name are not limited by transfer, and by sign-up 100 times as much', async () => {
    const [course, sale] = [await checkout.oneTime(), await checkout.offer()];
    await counted('ip/checkout-transfer/127.0.0.1', PAYMENT_SESSIONS_PER_DAY);
    await counted('ip/checkout-transfer/via/127.0.0.1', PAYMENT_SESSIONS_PER_DAY * 100);
    await counted(`budget/signUpsPerDay/${sale.merchant.id}/test/via/127.0.0.1`, 29_999);
    expect((await checkout.transfer(course, {}, '203.0.113.7:4711')).reply.status).toBe(201);
    expect((await checkout.transfer(course, {}, 'unknown')).reply.status).toBe(201);
    const signUp = async () =>
      checkout.post(
        `/offers/${sale.offerId}/subscriptions`,
        await checkout.signed(sale, checkout.newPayer()),
        'unknown',
      );
    expect([(await signUp()).status, await signUp()]).toEqual([201, expect.objectContaining(TOO_MANY)]);
  });

  it('of a wallet are limited per day, and count only if it has signed', async () => {
    const sale = await checkout.oneTime();
    const [payer, other] = [checkout.newPayer(), checkout.newPayer()];
    const body = await checkout.signed(sale, other, {});
    const forged = await checkout.post(`/offers/${sale.offerId}/payments`, { ...body, address: payer.address });
    expect(forged.status).toBe(400);
    await counted(`wallet/checkout-payment/${payer.address}`, PAYMENT_SESSIONS_PER_DAY - 1);
    expect((await checkout.pay(sale, payer)).status).toBe(201);
    expect(await checkout.pay(sale, payer)).toMatchObject(TOO_MANY);
    expect((await checkout.pay(sale, other)).status).toBe(201);
  });
});

describe('POST …/sessions/{sessionKey}/refund-wallet', () => {
  const name = (sessionKey: string, refundWallet: string) =>
    checkout.post(`/sessions/${sessionKey}/refund-wallet`, { refundWallet });

  async function refundsFrom(address: string) {
    const refunds = await checkout.http.store.records.find('charges', { where: { from: address }, limit: 20 });
    return refunds.map(({ gross, attempt, shares }) => [gross, attempt, shares[0]?.to]);
  }

  it('refunds money that is held because no address was named', async () => {
    const sale = await checkout.oneTime();
    const { address, poll, sessionKey } = await checkout.transfer(sale);
    await checkout.arrives(address, 10_000_000n);
    await expire();
    const kept = { amount: '10.00', ticker: 'USDC', fate: 'held', held: 'no_refund_wallet', to: null };
    expect(await poll()).toMatchObject({ body: { deposit: { refundWallet: null, unused: [kept] } } });
    expect(await refundsFrom(address)).toEqual([]);
    expect(await name(sessionKey, ALICE.toLowerCase())).toMatchObject({
      status: 200,
      body: { deposit: { refundWallet: ALICE, unused: [{ ...kept, fate: 'refunding', held: null, to: ALICE }] } },
    });
    // A repetition, and an address that comes too late, change nothing.
    for (const again of [ALICE, BOB]) expect((await name(sessionKey, again)).status).toBe(200);
    expect(await refundsFrom(address)).toEqual([['10000000', 1, ALICE]]);
  });

  it('decides about money that arrives later', async () => {
    const { address, sessionKey } = await checkout.transfer(await checkout.oneTime(), { refundWallet: ALICE });
    expect((await name(sessionKey, BOB)).status).toBe(200);
    await expire();
    await checkout.arrives(address, 10_000_000n);
    expect(await refundsFrom(address)).toEqual([['10000000', 1, BOB]]);
  });

  it('corrects an address that has refused the refund, but not without end', async () => {
    const { address, sessionKey } = await checkout.transfer(await checkout.oneTime(), { refundWallet: ALICE });
    await checkout.arrives(address, 10_000_000n);
    await expire();
    const { store, catalog } = checkout.http;
    const { records } = store;
    const chains = createChains([checkout.chain]);
    const deps = { store, ledger: records, catalog, chains, clock: () => checkout.http.now };
    const refuse = async () => {
      const [charge] = await records.find('charges', { where: { from: address }, sort: [['attempt', -1]], limit: 1 });
      if (charge === undefined) throw new Error('no refund was requested');
      const fact = { kind: 'undeliverable', reason: 'forward_reverted' } as const;
      await notifyRefund(deps, { charge, fact });
    };
    // The refund that is on its way keeps its receiver, until that has refused it.
    expect((await name(sessionKey, BOB)).status).toBe(200);
    expect(await refundsFrom(address)).toEqual([['10000000', 1, ALICE]]);
    await refuse();
    expect((await name(sessionKey, BOB)).status).toBe(200);
    const refused = [
      ['10000000', 1, ALICE],
      ['10000000', 2, BOB],
    ];
    expect(await refundsFrom(address)).toEqual(refused);
    for (const next of [ALICE, BOB, ALICE, BOB, ALICE, BOB, ALICE, BOB, ALICE, BOB]) {
      await refuse();
      expect((await name(sessionKey, next)).status).toBe(200);
    }
    expect(await refundsFrom(address)).toHaveLength(10);
  });

  it('refuses an address that money cannot be sent to', async () => {
    const { address, sessionKey } = await checkout.transfer(await checkout.oneTime());
    const zero = `0x${'0'.repeat(40)}`;
    for (const bad of ['ALICE', zero, address]) {
      expectError(await name(sessionKey, bad), 400, expect.stringMatching(/^refundWallet must/));
    }
  });

  it('is a 404 without the key of a session, and a 409 for a session that a wallet has signed', async () => {
    expect((await name(checkout.newKey(), ALICE)).status).toBe(404);
    const sessionKey = checkout.newKey();
    await checkout.pay(await checkout.oneTime(), checkout.newPayer(), { sessionKey });
    expectError(await name(sessionKey, ALICE), 409, expect.stringContaining('a refund wallet needs wallet_transfer'));
  });
});
