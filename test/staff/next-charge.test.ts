import { subscriptionContext } from '../../machines/subscription/context.ts';
import { subscriptionAnswers } from '../../src/staff/inspect/answers.ts';
import { ALICE, BOB } from '../support/bodies.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';

it('shows staff the terms and the wallet of the next charge, even beside a waiting migration', async () => {
  const merchant = await MerchantOverHttp.open();
  const id = await merchant.subscribeAndPay({}, {}, ALICE);
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
  expect(answerOf(pastDue)).toContain(`9.90 USDC from ${ALICE}`);
});
