import { TOKEN_KEY } from '../shop.ts';
import type { Stage } from '../stage.ts';
import type { Story, StoryResult } from '../story.ts';
import { askToMove, offerYearly } from './migrate/ask.ts';
import { agree } from './migrate/authorize.ts';
import { staysAsItIs, takesEffect } from './migrate/boundary.ts';
import { YEARLY } from './migrate/plans.ts';
import { authorize } from './subscription/authorize.ts';
import { cancel } from './subscription/cancel.ts';
import { renew } from './subscription/charges.ts';
import { COFFEE_CLUB } from './subscription/plan.ts';
import { createCustomer, subscribe } from './subscription/subscribe.ts';

/**
 * From monthly to yearly terms: the first request is ignored, the second is signed, and it takes effect with the next period.
 */
export const migrate: Story = {
  name: 'migrate',
  title: 'A subscription moves to other terms when its payer agrees',
  run,
};

async function run(stage: Stage): Promise<StoryResult> {
  const customerId = await createCustomer(stage);
  const monthly = await subscribe(stage, COFFEE_CLUB, customerId);
  await authorize(stage, monthly);
  const priceId = await offerYearly(stage, monthly);

  stage.timeline.chapter('The payer does not answer: nothing changes');
  await askToMove(stage, monthly, priceId);
  await staysAsItIs(stage, monthly, { cycle: 2, priceId });

  stage.timeline.chapter('The payer agrees: new terms from the next period on');
  const link = await askToMove(stage, monthly, priceId);
  await agree(stage, monthly, link);
  const yearly = { id: monthly.id, plan: YEARLY };
  await takesEffect(stage, yearly, { cycle: 3, priceId });
  await renew(stage, yearly, 4);
  await cancel(stage, yearly, 4);
  return {
    subscriptionIds: [monthly.id],
    events: {
      [TOKEN_KEY]: ['wallet.updated'],
      [customerId]: ['customer.created'],
      [monthly.id]: [
        'subscription.created',
        'payment.succeeded',
        'subscription.active',
        'payment.succeeded',
        'payment.succeeded',
        'payment.succeeded',
        'subscription.canceled',
      ],
    },
  };
}
