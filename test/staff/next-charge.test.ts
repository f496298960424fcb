import { subscriptionContext } from '../../machines/subscription/context.ts';
import { subscriptionAnswers } from '../../src/staff/inspect/answers.ts';
import { ALICE, BOB } from '../support/bodies.ts';
import { Desk } from './support/desk.ts';

it('shows staff the terms and the wallet of the next charge, even beside a waiting migration', async () => {
  const desk = await Desk.open();
  const id = await desk.subscribe({}, {}, ALICE);
  await desk.settles(id);
  const atRest = await subscriptionOf(desk, id);
  await desk.fails(id, 'insufficient_balance');
  const pastDue = await subscriptionOf(desk, id);
  const { terms } = subscriptionContext.parse(atRest.context);
  const at = desk.http.now.toISOString();
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
    const answers = subscriptionAnswers(desk.http.deps, facts);
    return answers.find(({ name }) => name === 'next-charge')?.answer ?? '';
  };
  expect(answerOf(atRest)).toContain(`50.00 USDC from ${BOB}`);
  expect(answerOf(pastDue)).toContain(`9.90 USDC from ${ALICE}`);
});

async function subscriptionOf(desk: Desk, id: string) {
  const [doc] = await desk.http.store.actors.load('subscription', [id]);
  if (!doc) throw new Error(`${id} is not there`);
  return doc;
}
