import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { subscriptionContext } from '../../machines/subscription/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import { guardText } from '../../src/engine/diagram.ts';
import { subscriptionContextOf } from '../../src/model/subscription.ts';
import { subscriptionAnswers } from '../../src/staff/inspect/answers.ts';
import { refusalOf } from '../../src/staff/inspect/events.ts';
import { chargeView } from '../../src/staff/inspect/views.ts';
import { diagramSchema, type Inspection, inspectionSchema, stepsSchema } from '../../src/staff/wire.ts';
import { rowId } from '../../src/store/actors/heads.ts';
import { scriptedCatalog } from '../../stage/scripted-chain.ts';
import { charge } from '../store/support/documents.ts';
import { ALICE, BOB, CAROL } from '../support/bodies.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { adaAt, REASON } from './support/staff.ts';

const merchant = await MerchantOverHttp.open();
const ada = adaAt(merchant.http);

async function inspected(path: string) {
  const { status, body } = await ada.get(path);
  expect(status).toBe(200);
  return inspectionSchema.parse(body);
}

const answersOf = ({ answers }: Inspection) => Object.fromEntries(answers.map(({ name, answer }) => [name, answer]));

describe("the staff's view of a subscription", () => {
  it('shows its state, the next events, and its money', async () => {
    const id = await merchant.subscribe({ name: 'Mia' }, {}, ALICE);
    const txHash = await merchant.settleCharge(id);
    const seen = await inspected(`/subscriptions/${id}`);
    expect(seen.facts).toMatchObject([
      { name: 'customer', value: 'Mia', id: expect.stringMatching(/^cust_/) },
      { name: 'price', value: '9.90 USDC every month' },
      { name: 'next-charge', value: expect.stringMatching(/^2030-02-15 .* UTC$/) },
    ]);
    expect(seen).toMatchObject({
      kind: 'subscription',
      id,
      title: 'Coffee monthly',
      status: 'active',
      merchant: { id: merchant.id, name: 'Coffee Club' },
      path: [{ id: 'active.waiting' }, { id: 'active' }],
      replay: { matches: true, problem: null },
      quarantine: null,
    });
    expect(seen.stored).toMatchObject({ _id: id, value: { active: 'waiting' }, rev: seen.rev });
    expect(seen.waits?.until).toBe(subscriptionContextOf(await merchant.subscription(id)).currentPeriodEnd);
    expect(seen.charges).toMatchObject([
      { state: 'final', txHash, amount: '9.90', token: 'USDC', from: ALICE, explorer: null, attempt: 1 },
    ]);
    expect(seen.payments).toMatchObject([{ status: 'settled', cycle: 1, to: BOB, txHash }]);
    expect(answersOf(seen)).toMatchObject({
      'next-charge': expect.stringMatching(/^On 2030-02-15 .*: 9\.90 USDC from 0x/),
      'where-is-the-money': expect.stringContaining(txHash),
      'charged-twice': expect.stringContaining('One charge has settled: cycle 1'),
    });
  });

  it('says what was used under a metered price, what that costs, and what was billed before', async () => {
    const metered = { model: 'metered', amount: '0.01', includedUnits: 100, capAmount: '5.00' };
    const id = await merchant.subscribe({}, metered);
    await merchant.post(`/subscriptions/${id}/usage`, { quantity: 1_000, idempotencyKey: 'calls' });
    const { facts } = await inspected(`/subscriptions/${id}`);
    expect(facts).toMatchObject([
      { name: 'customer' },
      { name: 'price', value: '5.00 USDC every month at most, by use: 0.01 USD a unit' },
      {
        name: 'usage',
        value: expect.stringMatching(
          /^1000 units since 2030-.* for 9\.00 USDC: the charge so far is 5\.00 of at most 5\.00 USDC \(180 %\)\. 0 units were billed before, 1000 in all\.$/,
        ),
      },
      { name: 'next-charge' },
    ]);
  });

  it('names every event that it would accept, and for each other the guards that refuse', async () => {
    const id = await merchant.subscribeAndPay();
    const { events } = await inspected(`/subscriptions/${id}`);
    const types = new Set(events.map(({ type }) => type));
    const all = MACHINES.subscription.current.machine.events.filter((type) => type !== 'actor.created');
    expect([...types].sort()).toEqual([...all].sort());
    const due = events.find(({ type }) => type === 'cycle.due');
    expect(due).toMatchObject({ verdict: 'refuses', refusedBy: expect.arrayContaining(['isDue', 'hasFallenDue']) });
    expect(due?.why).toContain('it is not due yet');
    expect(events.find(({ type }) => type === 'retry.requested')).toMatchObject({
      verdict: 'refuses',
      refusedBy: expect.arrayContaining(['isDeferred']),
      why: expect.stringContaining('no due charge is deferred'),
    });
    expect(events.find(({ assuming }) => assuming === 'at the end of the period')).toMatchObject({
      verdict: 'changes',
    });
    expect(events.find(({ type, assuming }) => type === 'cancel.requested' && assuming === 'now')).toMatchObject({
      verdict: 'changes',
      to: 'canceled.closed',
      effects: expect.arrayContaining(['subscription.canceled']),
    });
    for (const each of events) if (each.verdict === 'refuses') expect(each.why).not.toBe('');
  });

  it('says in words why an action is refused, with the terms of the machine behind them', async () => {
    const id = await merchant.subscribeAndPay();
    const refused = async () => (await inspected(`/subscriptions/${id}`)).actions.filter(({ isAllowed }) => !isAllowed);
    expect(await refused()).toMatchObject([
      {
        name: 'retry',
        why: 'Nothing to retry: it is paid until 15 February 2030.',
        terms: expect.stringContaining('o due charge is deferred'),
      },
      { name: 'resume', why: 'Nothing to resume: no cancel is scheduled, no pause is on, and no due charge waits.' },
    ]);
    await merchant.beginCharge(id);
    expect((await refused())[0]?.why).toBe('Nothing to retry: attempt 1 of cycle 2 is in flight.');
    await ada.post(`/subscriptions/${id}/cancel`);
    expect((await refused())[0]?.why).toBe('It has been canceled, and this is final.');
  });

  it('shows why a charge failed and when it is tried again', async () => {
    const id = await merchant.subscribeAndPay();
    const paymentId = await merchant.failCharge(id, 'insufficient_balance');
    const seen = await inspected(`/subscriptions/${id}`);
    expect(seen.status).toBe('past_due');
    expect(seen.charges[0]).toMatchObject({
      reason: 'insufficient_balance',
      cause: 'the wallet has too little of the token',
    });
    expect(answersOf(seen)['why-failing']).toMatch(
      /cycle 2 failed: the wallet has too little of the token\. The next attempt is on /,
    );
    const payment = await inspected(`/payments/${paymentId}`);
    expect(payment.facts).toMatchObject([
      { name: 'customer' },
      { name: 'purpose', value: expect.stringMatching(/^cycle 2: /), id },
      { name: 'next-attempt' },
    ]);
    expect(payment.spellings).toEqual([paymentId.replace('pay_', 'inv_'), paymentId.replace('pay_', 'sub-pay-')]);
    expect(answersOf(payment)).toMatchObject({
      'where-is-the-money': expect.stringContaining('With the customer: no money has moved'),
      'why-failed': expect.stringContaining('insufficient_balance'),
      'what-for': expect.stringContaining(`Cycle 2 of ${id}`),
    });
    expect((await inspected(`/payments/${paymentId.replace('pay_', 'inv_')}`)).id).toBe(paymentId);
  });

  it('shows a deferred charge, and a replaced delegate', async () => {
    const id = await merchant.subscribeAndPay();
    const { currentPeriodEnd } = subscriptionContextOf(await merchant.subscription(id));
    const before = merchant.http.now;
    merchant.http.now = new Date(currentPeriodEnd ?? '');
    await merchant.send(id, { type: 'cycle.due', asked: false, charge: { ready: false, why: 'no_payout_wallet' } });
    const [charge] = await merchant.http.store.records.find('charges', {
      where: {},
      sort: [['createdAt', -1]],
      limit: 1,
    });
    await merchant.http.store.records.change('charges', charge?._id ?? '', {}, { set: { note: 'delegate_replaced' } });
    const seen = await inspected(`/subscriptions/${id}`);
    merchant.http.now = before;
    expect(answersOf(seen)['why-not-charged']).toContain('no payout wallet');
    expect(seen.notes.map(({ name }) => name)).not.toContain('blocked');
    expect(seen.waits?.what).toContain('is not attempted');
  });

  it('in quarantine says so, offers no action, and shows the stored document', async () => {
    const id = await merchant.subscribe();
    await merchant.billing.engine.quarantine('subscription', id, 'a test');
    const seen = await inspected(`/subscriptions/${id}`);
    expect(seen.quarantine).toMatchObject({ reason: 'a test' });
    expect(seen.notes.map(({ name }) => name)).toContain('quarantined');
    expect(seen.actions.every(({ isAllowed, why }) => !isAllowed && why !== null)).toBe(true);
  });

  it('answers 404 for an unknown id, and for one of another kind', async () => {
    for (const path of ['/subscriptions/sub_x', '/payments/pay_x', '/deliveries/dlv_x', '/payments/sub_x/steps']) {
      expect((await ada.get(path)).status).toBe(404);
    }
  });
});

it('shows staff the terms and the wallet of the next charge, even beside a waiting migration', async () => {
  const id = await merchant.subscribeAndPay({}, {}, CAROL);
  const atRest = await merchant.subscription(id);
  await merchant.failCharge(id, 'insufficient_balance');
  const pastDue = await merchant.subscription(id);
  const { terms } = subscriptionContext.parse(atRest.context);
  const at = merchant.http.now.toISOString();
  const migration = {
    terms: { ...terms, amount: '50000000' },
    requestedAt: at,
    expiresAt: at,
    wallet: BOB,
    covered: true,
    seenAt: null,
    authorizedAt: at,
  };
  const answerOf = (doc: typeof atRest): string => {
    const facts = { doc: { ...doc, context: { ...doc.context, migration } }, journal: [], payments: [], charges: [] };
    const answers = subscriptionAnswers(merchant.http.deps, facts);
    return answers.find(({ name }) => name === 'next-charge')?.answer ?? '';
  };
  expect(answerOf(atRest)).toContain(`50.00 USDC from ${BOB}`);
  expect(answerOf(pastDue)).toContain(`9.90 USDC from ${CAROL}`);
});

describe("the staff's view of a charge", () => {
  it('shows the exact refusal of the router', () => {
    const refusal = { kind: 'revoked', text: 'the payer has revoked the agreement on the chain' };
    const view = chargeView({ catalog: scriptedCatalog() }, { ...charge(), refusal }, null);
    expect(view.refusal).toBe(refusal.text);
    expect(chargeView({ catalog: scriptedCatalog() }, charge(), null).refusal).toBeNull();
  });
});

describe('stepping through a journal', () => {
  it('shows state and context at each revision as replay has them, with the changes', async () => {
    const id = await merchant.subscribeAndPay();
    const doc = await merchant.subscription(id);
    const { body } = await ada.get(`/subscriptions/${id}/steps`);
    const { total, problem, steps } = stepsSchema.parse(body);
    expect([total, problem]).toEqual([doc.rev, null]);
    expect(steps.map(({ rev }) => rev)).toEqual(Array.from({ length: doc.rev }, (_, index) => index + 1));
    expect(steps[0]).toMatchObject({ type: 'actor.created', from: 'pending.waiting', to: 'pending.waiting' });
    expect(steps.at(-1)).toMatchObject({ state: { value: doc.value, context: doc.context } });
    expect(steps.find(({ type }) => type === 'charge.settled')?.changes).toEqual(
      expect.arrayContaining([
        { path: 'state', before: { pending: 'charging' }, after: { active: 'waiting' } },
        { path: 'cyclesCompleted', before: 0, after: 1 },
      ]),
    );
    const page = await ada.get(`/subscriptions/${id}/steps?from=2&limit=1`);
    expect(page.body).toMatchObject({ from: 2, steps: [{ rev: 2, changes: expect.any(Array) }] });
  });

  it('shows a payment in the same way', async () => {
    const id = await merchant.subscribe();
    const paymentId = await merchant.failCharge(id, 'insufficient_allowance');
    const { body } = await ada.get(`/payments/${paymentId}/steps`);
    expect(body).toMatchObject({
      id: paymentId,
      steps: [{ type: 'actor.created' }, { type: 'charge.refused', to: 'failed' }, { type: 'charge.scheduled' }],
    });
  });

  it('ends at a missing row, and names it', async () => {
    const id = await merchant.subscribeAndPay();
    expect(await merchant.http.store.records.remove('log', [rowId(id, 2)])).toBe(1);
    const { body } = await ada.get(`/subscriptions/${id}/steps`);
    expect(body).toMatchObject({
      steps: [{ rev: 1 }],
      problem: expect.stringContaining('rev 2: the row is not in the journal'),
    });
    expect((await inspected(`/subscriptions/${id}`)).replay).toMatchObject({ matches: false });
  });
});

describe('actions', () => {
  it('are journaled with the person and the reason', async () => {
    const id = await merchant.subscribeAndPay();
    const { status, body } = await ada.post(`/subscriptions/${id}/cancel`, { reason: REASON, atPeriodEnd: true });
    expect([status, body]).toEqual([200, { id, status: 'active' }]);
    const { journal, answers } = await inspected(`/subscriptions/${id}`);
    expect(journal.at(-1)).toMatchObject({ type: 'cancel.requested', by: 'staff:Ada', reason: REASON });
    expect(answers.find(({ name }) => name === 'next-charge')?.answer).toMatch(/^None: the subscription ends on /);
    expect((await ada.post(`/subscriptions/${id}/resume`)).body).toEqual({ id, status: 'active' });
    expect((await ada.post(`/subscriptions/${id}/cancel`)).body).toEqual({ id, status: 'canceled' });
    expect((await merchant.get(`/subscriptions/${id}`)).body).toMatchObject({ canceledBy: 'staff' });
    const over = await inspected(`/subscriptions/${id}`);
    expect(answersOf(over)['why-canceled']).toContain(`Sent by staff:Ada, reason: ${REASON}`);
    expect(over.replay).toMatchObject({ matches: true });
    expect(over.actions.filter(({ isAllowed }) => isAllowed)).toEqual([]);
  });

  it('are refused like in the API, and then nothing is journaled', async () => {
    const id = await merchant.subscribeAndPay();
    const { rev } = await merchant.subscription(id);
    expect((await ada.post(`/subscriptions/${id}/retry`)).status).toBe(409);
    expect((await ada.post(`/subscriptions/${id}/resume`)).status).toBe(409);
    expect((await ada.post(`/subscriptions/${id}/cancel`, {})).status).toBe(400);
    expect((await ada.post('/subscriptions/sub_x/cancel')).status).toBe(404);
    expect((await ada.post('/payments/pay_x/cancel')).status).toBe(404);
    expect((await ada.post('/deliveries/dlv_x/redeliver')).status).toBe(404);
    expect((await merchant.subscription(id)).rev).toBe(rev);
  });

  it('make the attempt of a retry', async () => {
    const id = await merchant.subscribeAndPay();
    const paymentId = await merchant.failCharge(id, 'insufficient_balance');
    const answer = ada.post(`/subscriptions/${id}/retry`);
    await merchant.chain.charges.refuse(paymentId, 'insufficient_balance');
    expect(await answer).toMatchObject({ status: 200, body: { status: 'past_due' } });
    const { journal } = await inspected(`/subscriptions/${id}`);
    expect(journal.find(({ type }) => type === 'retry.requested')).toMatchObject({ by: 'staff:Ada', reason: REASON });
  });
});

describe('the diagram of a machine', () => {
  it.each(['subscription', 'payment', 'delivery'] as const)('of %s is the machine itself', async (kind) => {
    const { body } = await ada.get(`/machines/${kind}`);
    const { states, edges } = diagramSchema.parse(body);
    const ids = new Set([...states.map(({ id }) => id), kind]);
    for (const { from, to } of edges) expect(ids.has(from) && ids.has(to)).toBe(true);
    expect(states.length).toBeGreaterThan(4);
    const labels = edges.flatMap((edge) => edge.labels);
    expect(labels.filter(({ event, words }) => words === event)).toEqual([]);
  });

  it('has words for every guard of every machine, and for each that must not hold', () => {
    const machines = Object.values(MACHINES).map(({ current }) => current.machine);
    const guards = machines.flatMap(({ implementations }) => Object.keys(implementations.guards));
    expect(guards.filter((name) => refusalOf({ name, isNegated: false }) === name)).toEqual([]);
    const negated = machines.flatMap(({ root }) => transitionsBelow(root)).flatMap(({ guard }) => negatedIn(guard));
    expect(negated).toContain('isOvertaken');
    expect(negated.filter((name) => refusalOf({ name, isNegated: true }) === `not ${name}`)).toEqual([]);
  });
});

function transitionsBelow(node: AnyStateNode): AnyTransitionDefinition[] {
  return [...node.transitions.values()].flat().concat(Object.values(node.states).flatMap(transitionsBelow));
}

function negatedIn(guard: unknown): string[] {
  return [...guardText(guard).matchAll(/not (\w+)/g)].map(([, name = '']) => name);
}
