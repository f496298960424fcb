import type { Advanced } from 'tideline/client';
import type { CyclePayment } from '../../merchant.ts';
import type { Stage } from '../../stage.ts';
import { ofCycle, ofSubscription } from './events.ts';
import type { Subscribed } from './plan.ts';

/** The first charge happens when the service sees the allowance. Resolves with its payment. */
export async function firstCharge(stage: Stage, subscribed: Subscribed): Promise<CyclePayment> {
  const { shop, world, timeline, expect } = stage;
  const { id } = subscribed;
  const active = world.receiver.until(`subscription.active of ${id}`, ofSubscription(id, 'subscription.active'));
  await timeline.waitFor('waiting for the service to see the allowance and to charge', active);
  const payment = await charged(stage, subscribed, { cycle: 1 });
  const after = await shop.merchant.api.subscriptions.get(id);
  timeline.add({ at: payment.periodStart, what: `${subscribed.name ?? 'Ada'}'s subscription`, status: after.status });
  expect.equal('The first charge makes the subscription active', after.status, 'active');
  expect.equal('The current period ends where the next charge falls due', after.currentPeriodEnd, payment.periodEnd);
  return payment;
}

/** `allowanceConfirmed` is about the next charge, which this payer has approved. */
export async function expectConfirmed({ shop, expect }: Stage, { id }: Subscribed): Promise<void> {
  const { allowanceConfirmed } = await shop.merchant.api.subscriptions.get(id);
  expect.equal('The allowance covers the next charge', allowanceConfirmed, true);
}

/** Advances the subscription's own clock by a month; the charge is as real as the first. */
export async function renew(stage: Stage, subscribed: Subscribed, cycle: number): Promise<void> {
  const due = await fallDue(stage, subscribed, [{ from: 'active', to: 'active', outcome: 'settled' }]);
  const payment = await charged(stage, subscribed, { cycle });
  stage.expect.equal(`Cycle ${cycle} begins where the one before ended`, payment.periodStart, due);
}

type Steps = readonly Pick<Advanced['steps'][number], 'from' | 'to' | 'outcome'>[];

/** Moves the clock to the end of the current period, where exactly `steps` must happen. Resolves with that time. */
export async function fallDue({ shop, timeline, expect }: Stage, { id }: Subscribed, steps: Steps): Promise<string> {
  const { currentPeriodEnd: due } = await shop.merchant.api.subscriptions.get(id);
  if (due === null) throw new Error(`subscription ${id} has no current period`);
  const advanced = await timeline.waitFor(
    `moving the subscription's clock to ${due}`,
    shop.merchant.api.sandbox.advance({ subscriptionId: id }),
  );
  expect.equal(`Advancing to ${due} is complete`, advanced.complete, true);
  expect.equal(
    `Exactly the expected steps happen at ${due}`,
    advanced.steps.map(({ at, ...step }) => step),
    steps.map((step) => ({ event: 'cycle.due', ...step })),
  );
  return due;
}

interface Charge {
  readonly cycle: number;
  /** Text after the timeline's entry. */
  readonly suffix?: string;
  /** The time of the charge, if it is not the start of its period. */
  readonly at?: string;
}

/** The settled payment of the newest cycle, after its webhook has arrived. */
export async function charged(
  stage: Stage,
  subscribed: Subscribed,
  { cycle, suffix = '', at }: Charge,
): Promise<CyclePayment> {
  const { world, timeline, expect } = stage;
  const payment = await newestPayment(stage, subscribed, cycle);
  expect.equal(`Cycle ${cycle} is settled`, payment.status, 'settled');
  expect.equal(`Cycle ${cycle} costs the price of the offer`, payment.amount, subscribed.plan.price);
  const { periodStart, status, amount, pullTxHash: txHash } = payment;
  const what = `Charge of cycle ${cycle}${suffix}`;
  timeline.add({ at: at ?? periodStart, what, status, amount, ...(txHash === null ? {} : { txHash }) });
  await world.receiver.until(`payment.succeeded of ${payment.id}`, ofCycle(payment.id, 'payment.succeeded'));
  return payment;
}

/** The payment of `cycle`, the newest one. Every cycle has exactly one. */
export async function newestPayment({ shop, expect }: Stage, { id }: Subscribed, cycle: number): Promise<CyclePayment> {
  const payments = await shop.merchant.payments(id);
  expect.equal('There are as many payments as cycles', payments.length, cycle);
  const payment = payments.at(-1);
  if (!payment) throw new Error(`cycle ${cycle} of ${id} has no payment`);
  return payment;
}
