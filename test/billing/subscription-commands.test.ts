import type { FailureReason } from '../../machines/effects.ts';
import type { SubscriptionContext } from '../../machines/subscription/context.ts';
import { cycleChargeKey } from '../../src/chains/evm/contracts/router.ts';
import { journalOf } from '../../src/engine/journal.ts';
import { cyclePaymentId } from '../../src/model/payment.ts';
import { subscriptionContextOf } from '../../src/model/subscription.ts';
import { NOTHING, PLENTY, scriptedChain } from '../../stage/scripted-chain.ts';
import { until } from '../../stage/until.ts';
import { offerBody } from '../support/bodies.ts';
import { idOf, priceIdOf, startHttp } from '../support/http.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';

const DAY_MS = 86_400_000;

/** Commands over HTTP to real machines, on a scripted chain. */
let merchant: MerchantOverHttp;

const chain = scriptedChain();
const http = await startHttp({ chains: [chain] });
const { billing } = http;

beforeEach(async () => {
  chain.state = NOTHING;
  merchant = await MerchantOverHttp.signUp(http, chain);
  await merchant.setPayoutWallet();
});

/** A pending subscription whose payer has a wallet; `offer`: more fields of its offer. */
function subscribe(offer: object = {}, option: object = {}): Promise<string> {
  return merchant.subscribe({}, option, undefined, offer);
}

async function losePayoutWallet(): Promise<void> {
  const where = { merchantId: merchant.id };
  const [wallet] = await http.store.records.find('wallets', { where, limit: 1 });
  await http.store.records.change('wallets', wallet?._id ?? '', {}, { set: { receiverWallet: null } });
}

async function contextOf(id: string): Promise<SubscriptionContext> {
  return subscriptionContextOf(await merchant.subscription(id));
}

/** The reserved units of its offer. */
async function heldFor(id: string): Promise<readonly string[] | undefined> {
  const { offerId } = await contextOf(id);
  return (await http.store.records.get('offers', [offerId]))[0]?.holds;
}

/** The attempt in flight fails for this reason. */
async function fails(id: string, reason: Extract<FailureReason, 'insufficient_allowance' | 'pull_reverted'>) {
  const { open } = await contextOf(id);
  if (!open) throw new Error('no attempt is in flight');
  await merchant.send(cyclePaymentId(id, open.number), {
    type: 'charge.refused',
    attempt: open.attempt,
    round: 0,
    reason,
  });
}

const SEEN = { type: 'allowance.seen', covers: true, payable: true } as const;
const DUE = { type: 'cycle.due', asked: false, charge: { ready: true } } as const;

/** A subscription whose first charge has failed. */
async function dunned(reason: 'insufficient_allowance' | 'pull_reverted', offer: object = {}): Promise<string> {
  const id = await subscribe(offer);
  await merchant.send(id, SEEN);
  await merchant.send(id, DUE);
  await fails(id, reason);
  expect((await contextOf(id)).open).toMatchObject({ attempt: 1, failedFor: reason });
  return id;
}

/** The events in its journal after this many. */
async function eventsAfter(id: string, after: number): Promise<string[]> {
  const rows = await journalOf(http.store, await merchant.subscription(id));
  return rows.filter(({ rev }) => rev > after).map(({ event, by }) => `${event.type} by ${by}`);
}

describe('retry', () => {
  it("opens a merchant's attempt, and answers with its result", async () => {
    const id = await dunned('insufficient_allowance');
    const before = await contextOf(id);
    const answer = merchant.post(`/subscriptions/${id}/retry`);
    await untilInFlight(id);
    expect(await contextOf(id)).toMatchObject({ begun: before.begun, open: { attempt: 2 } });
    expect(await merchant.post(`/subscriptions/${id}/retry`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('with no attempt in flight') },
    });
    await fails(id, 'pull_reverted');
    expect(await answer).toMatchObject({ status: 200, body: { status: 'pending', consecutiveFailures: 2 } });
  });

  it('keeps the key of its charge even if its period has moved: the chain charges it once', async () => {
    const id = await dunned('insufficient_allowance');
    const [first] = await chargesOf(id);
    merchant.later(DAY_MS);
    const answer = merchant.post(`/subscriptions/${id}/retry`);
    await untilInFlight(id);
    const { open } = await contextOf(id);
    expect(open?.periodStart).toBe(http.now.toISOString());
    await billing.quiet();
    const charges = await chargesOf(id);
    await fails(id, 'pull_reverted');
    // Before any expectation: an answer that nobody awaits would end the run without a report.
    await answer;
    expect(charges.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(new Set(charges.map((charge) => charge.key))).toEqual(new Set([first?.key]));
    expect(first?.key).toBe(cycleChargeKey(id, 1));
  });

  function chargesOf(id: string) {
    const where = { paymentId: cyclePaymentId(id, 1) };
    return http.store.records.find('charges', { where, sort: [['attempt', 1]], limit: 10 });
  }

  it('answers after 25 s with the current state', async () => {
    const id = await dunned('insufficient_allowance');
    const answer = merchant.post(`/subscriptions/${id}/retry`);
    await untilInFlight(id);
    merchant.later(25_000);
    expect(await answer).toMatchObject({
      status: 200,
      body: { status: 'pending', consecutiveFailures: 1, lastInvoice: { status: 'pending' } },
    });
  });

  it('gives the reason why no attempt is possible, and counts none', async () => {
    const id = await dunned('insufficient_allowance');
    await losePayoutWallet();
    expect(await merchant.post(`/subscriptions/${id}/retry`)).toMatchObject({
      status: 409,
      body: {
        error:
          'Subscription is pending and cannot be charged now: no payout wallet is registered for usdc-local-evm; register one with POST /wallets',
      },
    });
    expect(await contextOf(id)).toMatchObject({ open: { attempt: 1 }, consecutiveFailures: 1, deferred: null });
  });

  it('is refused for a sold-out offer, and takes no unit if there is nothing to retry', async () => {
    const id = await dunned('insufficient_allowance', { availableQuantity: 1 });
    const { offerId } = await contextOf(id);
    await http.store.records.change('offers', offerId, {}, { set: { redeemedCount: 1 } });
    expect(await merchant.post(`/subscriptions/${id}/retry`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('its offer is sold out') },
    });

    const waiting = await subscribe({ availableQuantity: 1 });
    expect((await merchant.post(`/subscriptions/${waiting}/retry`)).status).toBe(409);
    expect(await heldFor(waiting)).toEqual([]);
  });
});

describe('resume', () => {
  it('checks an allowance that nobody has seen yet, and makes the first attempt', async () => {
    const id = await subscribe();
    const { rev } = await merchant.subscription(id);
    chain.state = PLENTY;
    const answer = merchant.post(`/subscriptions/${id}/resume`);
    await untilInFlight(id);
    expect(await eventsAfter(id, rev)).toEqual(['allowance.seen by chain', 'cycle.due by api']);
    await fails(id, 'pull_reverted');
    expect(await answer).toMatchObject({ status: 200, body: { status: 'pending', consecutiveFailures: 1 } });
  });

  it.each(['insufficient_allowance', 'pull_reverted'] as const)(
    'makes one attempt for the merchant of a charge that has failed: %s',
    async (reason) => {
      const id = await dunned(reason);
      const { rev } = await merchant.subscription(id);
      const { begun } = await contextOf(id);
      chain.state = PLENTY;
      const answer = merchant.post(`/subscriptions/${id}/resume`);
      await untilInFlight(id);
      expect((await eventsAfter(id, rev)).at(-1)).toBe('retry.requested by api');
      expect(await contextOf(id)).toMatchObject({ begun, open: { attempt: 2 } });
      await fails(id, 'pull_reverted');
      expect(await answer).toMatchObject({ status: 200, body: { consecutiveFailures: 2 } });
    },
  );

  it('makes no attempt that would fail', async () => {
    const id = await dunned('insufficient_allowance');
    const checks = chain.checks;
    expect(await merchant.post(`/subscriptions/${id}/resume`)).toMatchObject({
      status: 200,
      body: { status: 'pending' },
    });
    chain.state = { ...PLENTY, balance: 0n };
    expect(await merchant.post(`/subscriptions/${id}/resume`)).toMatchObject({
      status: 200,
      body: { allowanceConfirmed: true },
    });
    expect(chain.checks).toBe(checks + 2);
    expect((await contextOf(id)).open).toMatchObject({ attempt: 1 });
  });

  it('answers 200 even if the chain does not answer', async () => {
    const id = await dunned('insufficient_allowance');
    chain.state = null;
    expect(await merchant.post(`/subscriptions/${id}/resume`)).toMatchObject({
      status: 200,
      body: { status: 'pending', consecutiveFailures: 1 },
    });
    expect(http.logged.map(({ message }) => message)).toContain(
      'a subscription is resumed without a check of its chain',
    );
  });

  it('charges nothing before the end of a trial, and takes no unit for it', async () => {
    const id = await subscribe({ availableQuantity: 1 }, { trialDays: 7 });
    chain.state = PLENTY;
    expect(await merchant.post(`/subscriptions/${id}/resume`)).toMatchObject({
      status: 200,
      body: { status: 'pending', allowanceConfirmed: true, lastInvoice: null },
    });
    expect(await heldFor(id)).toEqual([]);
  });

  it('makes no attempt without a payout wallet', async () => {
    await losePayoutWallet();
    const id = await subscribe();
    chain.state = PLENTY;
    expect(await merchant.post(`/subscriptions/${id}/resume`)).toMatchObject({
      status: 200,
      body: { status: 'pending', allowanceConfirmed: true, lastInvoice: null },
    });
  });
});

/** Polls, because the request that opens the attempt answers only after its end. */
async function untilInFlight(id: string): Promise<void> {
  const value = async () => JSON.stringify((await merchant.subscription(id)).value);
  await until(`an attempt of ${id} is in flight`, value, (now) => now.includes('charging'));
  await billing.quiet();
}

describe('POST /subscriptions', () => {
  it('gives a fresh link to a replay whose first link was never stored', async () => {
    const made = await merchant.post('/offers', offerBody());
    const priceId = priceIdOf(made);
    const body = { priceId, customerId: idOf(await merchant.post('/customers', {})), idempotencyKey: 'crashed' };
    const { insert } = http.store.records;
    http.store.records.insert = async (into, docs) => {
      if (into === 'authorizations') throw new Error('the process has died');
      return insert.call(http.store.records, into, docs);
    };
    expect((await merchant.post('/subscriptions', body)).status).toBe(500);
    http.store.records.insert = insert;
    const replayed = await merchant.post('/subscriptions', body);
    expect(replayed).toMatchObject({
      status: 200,
      body: { status: 'pending', authorizationUrl: expect.stringMatching(/\/checkout\/authorize\/[\w-]{43}$/) },
    });
    const further = await merchant.post('/subscriptions', body);
    expect([further.status, idOf(further)]).toEqual([200, idOf(replayed)]);
  });
});
