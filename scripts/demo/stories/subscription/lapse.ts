import { money } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import { approveYear } from './authorize.ts';
import { charged, fallDue, newestPayment } from './charges.ts';
import { invoiceIdOf, ofCycle } from './events.ts';
import type { Subscribed } from './plan.ts';

const REASON = 'insufficient_allowance';

/** The payer revokes the allowance on the chain, without help: `cycle`, the next one, fails. */
export async function revoke(stage: Stage, subscribed: Subscribed, cycle: number): Promise<void> {
  await takeBack(stage, subscribed, cycle - 1);
  await lapse(stage, subscribed, cycle);
}

/** The payer revokes the allowance after the paid cycle `cycle`. */
export async function takeBack(stage: Stage, subscribed: Subscribed, cycle: number): Promise<void> {
  const { shop, payer, timeline } = stage;
  const { token, operator } = shop;
  const paid = await newestPayment(stage, subscribed, cycle);
  const txHash = await payer.approve(token.address, operator, 0n);
  timeline.add({ at: paid.periodStart, what: 'Ada revokes it', amount: money(0n, token), txHash });
}

/** The remaining allowance does not cover `cycle`, the next one, so it fails. Resolves with its due time. */
export async function lapse(stage: Stage, subscribed: Subscribed, cycle: number): Promise<string> {
  const { shop, timeline, expect } = stage;
  const { merchant } = shop;
  const due = await fallDue(stage, subscribed, [{ from: 'active', to: 'past_due', outcome: 'failed' }]);
  await refused(stage, subscribed, cycle);
  const { status, consecutiveFailures, lastInvoice } = await merchant.api.subscriptions.get(subscribed.id);
  timeline.add({ at: due, what: "Ada's subscription", status });
  expect.equal(
    'A failed renewal makes the subscription past due',
    { status, consecutiveFailures, invoice: lastInvoice?.status, failureReason: lastInvoice?.failureReason },
    { status: 'past_due', consecutiveFailures: 1, invoice: 'failed', failureReason: REASON },
  );
  return due;
}

/** Checks that the payment of the newest cycle has failed, and that its webhook has arrived. */
async function refused(stage: Stage, subscribed: Subscribed, cycle: number): Promise<void> {
  const { world, timeline, expect } = stage;
  const { id, periodStart: at, status, amount, pullTxHash } = await newestPayment(stage, subscribed, cycle);
  timeline.add({ at, what: `Charge of cycle ${cycle}`, status, amount });
  expect.equal(
    'The renewal fails without a transaction',
    { status, pullTxHash },
    { status: 'failed', pullTxHash: null },
  );
  const failed = await world.receiver.until(`payment.failed of ${id}`, ofCycle(id, 'payment.failed'));
  expect.equal('The webhook gives the reason for the failure', failed.data, {
    subscriptionId: subscribed.id,
    invoiceId: invoiceIdOf(id),
    reason: REASON,
  });
}

/** The time of the new approval, and the number of attempts in total. */
export interface Recovery {
  readonly at: string;
  readonly attempts: number;
}

/** The payer approves again. The service sees it on the chain, and charges at once. */
export async function recover(stage: Stage, subscribed: Subscribed, cycle: number, recovery?: Recovery): Promise<void> {
  const { shop, timeline, expect } = stage;
  const { merchant } = shop;
  const failed = await newestPayment(stage, subscribed, cycle);
  const { at, attempts } = recovery ?? { at: failed.periodStart, attempts: 2 };
  await approveYear(stage, subscribed.plan, { at, what: 'Ada approves again:' });
  const suffix = `, ${await timeUntilPaid(stage, failed.id)} later`;
  const payment = await charged(stage, subscribed, { cycle, suffix, at });
  expect.equal('The failed payment is the one that is paid', payment.id, failed.id);
  expect.equal('The payment is for the period that had failed', payment.periodStart, failed.periodStart);
  const { attempts: made, failureReason } = await merchant.api.payments.get(invoiceIdOf(payment.id));
  expect.equal(
    `The payment took ${attempts} attempts`,
    { made, failureReason },
    { made: attempts, failureReason: null },
  );

  const { status, consecutiveFailures, allowanceConfirmed } = await merchant.api.subscriptions.get(subscribed.id);
  timeline.add({ at, what: "Ada's subscription", status });
  expect.equal(
    'The subscription recovers by itself',
    { status, consecutiveFailures, allowanceConfirmed },
    { status: 'active', consecutiveFailures: 0, allowanceConfirmed: true },
  );
}

/** The time until the webhook, for people: `0.8 s`. */
async function timeUntilPaid({ world, timeline }: Stage, paymentId: string): Promise<string> {
  const began = performance.now();
  const paid = world.receiver.until(`payment.succeeded of ${paymentId}`, ofCycle(paymentId, 'payment.succeeded'));
  await timeline.waitFor('waiting for the service to see the allowance and to charge', paid);
  return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
}
