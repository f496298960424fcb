import { ScriptError } from '../../../lib/script.ts';
import type { Stage } from '../../stage.ts';
import { newestPayment } from '../subscription/charges.ts';
import { invoiceIdOf } from '../subscription/events.ts';
import { lapse } from '../subscription/lapse.ts';
import type { Subscribed } from '../subscription/plan.ts';

/** The days after the first failure on which a cycle is tried again (docs/rules.md, "Subscriptions": Renewal fails). */
const RETRY_DAYS = [1, 3, 5, 7] as const;

const DAY_MS = 86_400_000;

/** The cycle that fails in every part of this story. */
export const CYCLE = 2;

/** The events of a subscription before its second cycle: created, paid, active. */
const REPORTED_BEFORE = 3;

/** The renewal falls due and fails. Resolves with the time of the failure, from which the days count. */
export async function failFirst(stage: Stage, subscribed: Subscribed): Promise<string> {
  await lapse(stage, subscribed, CYCLE);
  const { nextAttemptAt } = await newestPayment(stage, subscribed, CYCLE);
  if (nextAttemptAt === null) throw new ScriptError(`cycle ${CYCLE} of ${subscribed.id} is not tried again`);
  return new Date(Date.parse(nextAttemptAt) - DAY_MS).toISOString();
}

export interface FurtherAttempt {
  /** 2 is the first retry. */
  readonly attempt: number;
  /** The time of the first failure. */
  readonly since: string;
  /** The status of the subscription afterwards. */
  readonly to: 'past_due' | 'canceled';
}

/** Advances to the next attempt, which fails too. Resolves with its time. */
export async function failAgain(
  stage: Stage,
  subscribed: Subscribed,
  { attempt, since, to }: FurtherAttempt,
): Promise<string> {
  const { shop, timeline, expect } = stage;
  const { nextAttemptAt: due } = await newestPayment(stage, subscribed, CYCLE);
  const day = RETRY_DAYS[attempt - 2] ?? 0;
  expect.equal(`Attempt ${attempt} is scheduled for day ${day}`, due, daysAfter(since, day));
  const { steps } = await timeline.waitFor(
    `moving the subscription's clock to ${due}`,
    shop.merchant.api.sandbox.advance({ subscriptionId: subscribed.id }),
  );
  expect.equal(
    `Attempt ${attempt} is made on its day, and fails`,
    steps.map(({ at, ...step }) => ({ ...step, isDue: due !== null && at >= due })),
    [{ event: 'cycle.due', from: 'past_due', to, outcome: 'failed', isDue: true }],
  );
  const { id, status, amount, attempts } = await newestPayment(stage, subscribed, CYCLE);
  expect.equal('Every attempt is of the same payment', { status, attempts }, { status: 'failed', attempts: attempt });
  const at = steps[0]?.at ?? since;
  timeline.add({ at, what: `Attempt ${attempt} of cycle ${CYCLE}, day ${day}`, status, amount });
  await reported(stage, subscribed, id, attempt);
  return at;
}

/** Waits for the webhook of this attempt, and checks that it is about this payment. */
async function reported(
  { world, expect }: Stage,
  subscribed: Subscribed,
  paymentId: string,
  attempt: number,
): Promise<void> {
  const failed = await world.receiver.until(
    `payment.failed ${attempt} of ${paymentId}`,
    ({ data, sequence }) => data['subscriptionId'] === subscribed.id && sequence === REPORTED_BEFORE + attempt,
  );
  expect.equal(
    'The webhook names the subscription, the invoice and the reason',
    [failed.event, failed.data],
    [
      'payment.failed',
      { subscriptionId: subscribed.id, invoiceId: invoiceIdOf(paymentId), reason: 'insufficient_allowance' },
    ],
  );
}

/** `since` plus whole days, to the millisecond. */
function daysAfter(since: string, days: number): string {
  return new Date(Date.parse(since) + days * DAY_MS).toISOString();
}
