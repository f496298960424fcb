import { type SubscriptionContext, subscriptionContext } from '../../../machines/subscription/context.ts';
import type { StagedSubscription } from '../../../stage/subscription.ts';
import { until } from '../../../stage/until.ts';

/** Waits until the service has seen that the allowance covers the terms of the next boundary. */
export async function untilMigrationCovered(subscription: StagedSubscription): Promise<void> {
  await until(
    'the allowance covers the terms to come',
    () => contextOf(subscription),
    ({ migration }) => migration?.covered === true,
  );
}

/** The context of its stored document. */
async function contextOf({ id, merchant }: StagedSubscription): Promise<SubscriptionContext> {
  const store = await merchant.stage.store();
  const [doc] = await store.actors.load('subscription', [id]);
  return subscriptionContext.parse(doc?.context);
}
