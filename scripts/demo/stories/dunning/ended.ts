import type { Stage } from '../../stage.ts';
import { newestPayment } from '../subscription/charges.ts';
import { ofSubscription } from '../subscription/events.ts';
import type { Subscribed } from '../subscription/plan.ts';
import { CYCLE } from './attempts.ts';

interface Ended {
  readonly at: string;
  readonly failures: number;
}

/** The subscription ended with the last failure: one cycle was paid, and nothing is tried again. */
export async function ended(stage: Stage, { id, plan }: Subscribed, { at, failures }: Ended): Promise<void> {
  const { shop, world, timeline, expect } = stage;
  const { status, cyclesCompleted, consecutiveFailures } = await shop.merchant.api.subscriptions.get(id);
  timeline.add({ at, what: 'It ends by itself', status });
  expect.equal(
    'The last failure ends the subscription',
    { status, cyclesCompleted, consecutiveFailures },
    { status: 'canceled', cyclesCompleted: 1, consecutiveFailures: failures },
  );
  const isCanceled = ofSubscription(id, 'subscription.canceled');
  const canceled = await world.receiver.until(`subscription.canceled of ${id}`, isCanceled);
  expect.equal('The webhook gives the reason for the end', canceled.data['reason'], 'max_failed_cycles_reached');
  const last = await newestPayment(stage, { id, plan }, CYCLE);
  expect.equal(
    'The last payment has failed and is not tried again',
    [last.status, last.nextAttemptAt],
    ['failed', null],
  );
}
