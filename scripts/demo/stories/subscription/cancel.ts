import type { Stage } from '../../stage.ts';
import { newestPayment } from './charges.ts';
import { ofSubscription } from './events.ts';
import type { Subscribed } from './plan.ts';

/** The merchant cancels after `cycles` paid cycles. `on`: the time, if it is not the start of the last period. */
export async function cancel(stage: Stage, subscribed: Subscribed, cycles: number, on?: string): Promise<void> {
  const { shop, world, timeline, expect } = stage;
  const { id } = subscribed;
  const { periodStart } = await newestPayment(stage, subscribed, cycles);
  const { status } = await timeline.waitFor('canceling', shop.merchant.api.subscriptions.cancel(id));
  timeline.add({ at: on ?? periodStart, what: 'The merchant cancels', status });
  expect.equal('The subscription is canceled', status, 'canceled');
  const isCanceled = ofSubscription(id, 'subscription.canceled');
  const canceled = await world.receiver.until(`subscription.canceled of ${id}`, isCanceled);
  expect.equal('The event of a requested cancellation has no reason', 'reason' in canceled.data, false);
  const after = await shop.merchant.api.subscriptions.get(id);
  expect.equal('Exactly the paid cycles are counted', after.cyclesCompleted, cycles);
}
