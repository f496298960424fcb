import { newPayment } from '../../machines/payment/context.ts';
import { requestRefunds } from '../../src/billing/deposits/settle.ts';
import { rowsOf } from '../../src/store/actors/heads.ts';
import type { RequestDoc } from '../../src/store/collections.ts';
import type { Ledger } from '../../src/store/port.ts';
import { pollPause, RequestClient, RequestWorker } from '../../src/store/requests.ts';
import { type InProcessService, openInProcess } from '../../stage/in-process-service.ts';
import { PLENTY, type ScriptedChain, scriptedChain } from '../../stage/scripted-chain.ts';
import { arrival, deposit, watch } from '../store/support/documents.ts';
import { BOB } from '../support/bodies.ts';
import { type HttpHarness, startHttp } from '../support/http.ts';
import { mandateDoc } from '../support/mandate-doc.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';

/** A process that only serves requests, and a worker on the same store. */
let http: HttpHarness;
let chain: ScriptedChain;
let worker: InProcessService;
let merchant: MerchantOverHttp;

beforeEach(async () => {
  chain = scriptedChain();
  chain.state = PLENTY;
  const chains = [chain];
  http = await startHttp({ ledger: null, chains });
  const { platformWallets } = http.deps;
  worker = openInProcess({ store: http.store, clock: () => http.now, chains, platformWallets });
  worker.requests.start();
  merchant = await MerchantOverHttp.signUp(http, chain);
});
afterEach(() => worker.requests.stop());

/** The documents of the ledger. */
async function ledger(): Promise<number[]> {
  const { records } = http.store;
  return Promise.all((['charges', 'transactions', 'announcements'] as const).map((of) => records.count(of, {})));
}

/** What a thief in the serving process asks of workers. */
const ask = (order: object) => new RequestClient(http.store.records).ask(order);

describe('a process that only serves requests', () => {
  it('has a worker change actors, with the answers and events of one that does so itself', async () => {
    const id = await merchant.subscribe();
    const patched = await merchant.patch(`/subscriptions/${id}`, { customVariables: { seats: 3 } });
    expect(patched).toMatchObject({ status: 200, body: { customVariables: { seats: 3 } } });
    expect(await merchant.post(`/subscriptions/${id}/cancel`)).toMatchObject({ body: { status: 'canceled' } });
    expect(await merchant.post(`/subscriptions/${id}/cancel`)).toMatchObject({ status: 409 });
    expect((await worker.eventsOf(id)).map(({ event }) => event)).toEqual([
      'subscription.created',
      'subscription.canceled',
    ]);
    const rows = await http.store.records.find('log', { where: { _id: rowsOf(id) }, limit: 99 });
    const events = rows.flatMap((row) => row.events);
    expect(events.filter(({ event }) => event.type === 'cancel.requested')).toMatchObject([{ by: 'api' }]);
    expect(await http.store.records.count('requests', {})).toBe(0);
  });

  it('has a worker cancel the subscriptions of a customer, before it answers', async () => {
    const id = await merchant.subscribe();
    const customerId = String((await merchant.subscription(id)).attributes['customerId']);
    expect(await merchant.delete(`/customers/${customerId}`)).toMatchObject({ status: 200 });
    expect((await merchant.subscription(id)).status).toBe('canceled');
  });

  it('has a worker announce a payout wallet', async () => {
    const tenant = { merchantId: merchant.id, mode: 'test' } as const;
    const { chainId, router } = chain;
    const createdAt = new Date(http.now.getTime() + 1);
    await http.store.records.insert('mandates', [mandateDoc({ ...tenant, chainId, router, createdAt })]);
    http.now = new Date(http.now.getTime() + 1_000);
    await merchant.setPayoutWallet();
    await worker.quiet();
    expect(await ledger()).toEqual([0, 0, 1]);
  });

  it('makes a check by a worker due instead of requesting a refund', async () => {
    const { store, deps } = http;
    const refund = {
      key: `0x${'a'.repeat(64)}`,
      round: 1,
      attempt: 1,
      txHash: null,
      to: BOB,
      amount: '5',
      notBefore: http.now,
    };
    const doc = deposit({ arrivals: [arrival({ fate: 'refunding', held: null, refund })] });
    await store.records.insert('watches', [watch({ _id: doc._id, lookAt: new Date(http.now.getTime() + 3_600_000) })]);
    await requestRefunds(deps, doc);
    expect(await ledger()).toEqual([0, 0, 0]);
    expect(await store.records.get('watches', [doc._id])).toMatchObject([{ lookAt: http.now }]);
    await requestRefunds(worker.deps, doc);
    expect(await ledger()).toEqual([1, 0, 0]);
  });

  it('has a store that cannot write the ledger, as the compiler and the table of roles know', async () => {
    const { records } = http.deps.store;
    // @ts-expect-error charges are the ledger's
    await expect(records.insert('charges', [])).rejects.toThrow('the role serving has no insert on charges');
    // @ts-expect-error the store of most code is no ledger
    const wrong: Ledger = records;
    expect([wrong, http.deps.ledger]).toEqual([records, null]);
  });
});

describe('a worker', () => {
  const PULLED = { cycle: 1, attempt: 1, paymentId: 'pay_1' };
  const REFUSED = { answer: { kind: 'failed', message: expect.stringMatching(/may not ask for/) } };

  it.each([
    ['charge.settled', PULLED],
    ['charge.failed', { ...PULLED, reason: 'pull_reverted' }],
    ['deferral.lifted', { why: 'sold_out' }],
    ['payer.linked', { wallet: BOB }],
    ['snapshot.upcast', {}],
    ['constructor', {}],
  ])('takes no %s from a process that only serves', async (type, more) => {
    const event = { type, ...more };
    const id = await merchant.subscribe();
    const before = await merchant.subscription(id);
    const { answer } = await ask({ kind: 'dispatch', events: [{ kind: 'subscription', id, event, by: 'chain' }] });
    expect(answer).toMatchObject({ kind: 'done', result: [REFUSED.answer] });
    expect(await merchant.subscription(id)).toEqual(before);
  });

  it('decides from the stored actor, whatever state and sender a request names', async () => {
    const id = await merchant.subscribe();
    const stored = await merchant.subscription(id);
    const seen = { ...stored, status: 'active', quarantine: { at: http.now, reason: 'made up' } };
    const event = { type: 'variables.replaced', customVariables: { a: 1 } };
    await ask({
      kind: 'dispatch',
      events: [{ kind: 'subscription', id, event, by: 'api', seen, sender: { id, mark: [1, 1] } }],
    });
    expect(await merchant.subscription(id)).toMatchObject({
      status: 'pending',
      quarantine: null,
      context: { customVariables: { a: 1 }, heard: [] },
    });
  });

  it.each([
    ['makes a cycle due ahead of its time', true, { ready: true }],
    ['hears what a period is worth', false, { ready: true, paid: { amount: '9', paymentId: 'pay_1' } }],
  ])('%s in test mode alone', async (_what, asked, charge) => {
    const event = { type: 'cycle.due', asked, charge };
    const answers: unknown[] = [];
    for (const mode of ['test', 'live'] as const) {
      const own = await MerchantOverHttp.signUp(http, chain, mode, mode);
      const id = await own.subscribe({}, mode === 'live' ? { acceptedTokens: ['usdc-base'] } : {});
      const { answer } = await ask({ kind: 'dispatch', events: [{ kind: 'subscription', id, event, by: 'sandbox' }] });
      answers.push(answer);
    }
    expect(answers).toMatchObject([{ result: [{ kind: 'taken' }] }, { result: [REFUSED.answer] }]);
  });

  it('creates no payment of a cycle, none that has begun, and emits no event of a payment', async () => {
    const made = await merchant.subscribe();
    const { attributes, context, mode } = await merchant.subscription(made);
    const actor = { kind: 'subscription', id: 'sub_thief', merchantId: merchant.id, mode, by: 'api', attributes };
    const begun = { ...context, cyclesCompleted: 3 };
    const id = 'pay_thief';
    const blank = newPayment({ id, cycleOf: null, amount: '1', fromWallet: BOB, toWallet: BOB, forcedFailure: null });
    const cycleOf = {
      subscriptionId: made,
      cycle: 1,
      periodStart: http.now.toISOString(),
      periodEnd: http.now.toISOString(),
    };
    const payment = { ...actor, kind: 'payment', id };
    const emit = [{ event: 'payment.succeeded', data: {} }];
    const [customer] = await http.store.records.find('customers', { where: {}, limit: 1 });
    const orders = [
      { kind: 'create', actors: [{ ...actor, context: begun }] },
      { kind: 'create', actors: [{ ...payment, context: { ...blank, cycleOf } }] },
      { kind: 'create', actors: [{ ...payment, context: { ...blank, landedAttempt: 1 } }] },
      { kind: 'change', of: 'customers', doc: customer, change: { set: {}, emit } },
      {
        kind: 'change',
        of: 'customers',
        doc: customer,
        change: { set: {}, emit: [], effects: [{ type: 'charge.request' }] },
      },
    ];
    const answers = await Promise.all(orders.map(ask));
    expect(answers.map(({ answer }) => answer)).toMatchObject(orders.map(() => ({ kind: 'failed' })));
    const stored = await Promise.all([
      http.store.actors.load('subscription', ['sub_thief']),
      http.store.actors.load('payment', [id]),
    ]);
    expect(stored).toEqual([[], []]);
  });

  it('carries out a request once, however many workers there are, and none that was withdrawn', async () => {
    const { records } = http.store;
    await worker.requests.stop();
    const late = new RequestClient(records, { taken: 0, answered: 0 }).ask({ number: 1 });
    await expect(late).rejects.toThrow('no worker took the request');
    const done: object[] = [];
    const answer = async ({ order }: RequestDoc) => {
      done.push(order);
      return { ok: true };
    };
    const deps = { records, workers: { count: 1 }, answer, log: http.deps.log };
    const workers = Array.from({ length: 3 }, () => new RequestWorker(deps));
    for (const each of workers) each.start();
    expect(await ask({ number: 2 })).toMatchObject({ answer: { ok: true } });
    await Promise.all(workers.map((each) => each.stop()));
    expect(done).toEqual([{ number: 2 }]);
  });

  it('is polled by ten workers as often as by one', () => {
    expect([0, 5_000].map((quietMs) => pollPause(quietMs, 50, 1))).toEqual([10, 50]);
    expect([0, 5_000].map((quietMs) => pollPause(quietMs, 50, 10))).toEqual([100, 500]);
    // A request waits for five seconds.
    expect(pollPause(5_000, 250, 100)).toBe(1_000);
  });
});
