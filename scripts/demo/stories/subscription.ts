import { TOKEN_KEY } from '../shop.ts';
import type { Stage } from '../stage.ts';
import type { Story, StoryResult } from '../story.ts';
import { authorize } from './subscription/authorize.ts';
import { cancel } from './subscription/cancel.ts';
import { renew } from './subscription/charges.ts';
import { recover, revoke } from './subscription/lapse.ts';
import { endByItself, LIMITED, showAllowanceLeft } from './subscription/limited.ts';
import { COFFEE_CLUB } from './subscription/plan.ts';
import { createCustomer, subscribe } from './subscription/subscribe.ts';

/** The number of cycles that are charged when due; the next one fails at first. */
const CYCLES = 3;

/** A monthly subscription is approved, charged, past due, recovered and canceled. Another one ends by itself. */
export const subscription: Story = {
  name: 'subscription',
  title: 'A monthly subscription, from sign-up to cancel',
  run,
};

async function run(stage: Stage): Promise<StoryResult> {
  const customerId = await createCustomer(stage);
  const club = await subscribe(stage, COFFEE_CLUB, customerId);
  await authorize(stage, club);
  for (let cycle = 2; cycle <= CYCLES; cycle += 1) await renew(stage, club, cycle);

  stage.timeline.chapter('The payer revokes the allowance, and approves again');
  await revoke(stage, club, CYCLES + 1);
  await recover(stage, club, CYCLES + 1);
  await cancel(stage, club, CYCLES + 1);

  stage.timeline.chapter(`An offer of ${LIMITED.maxCycles} cycles`);
  await showAllowanceLeft(stage);
  const limited = await subscribe(stage, LIMITED, customerId);
  await endByItself(stage, limited);
  return {
    subscriptionIds: [club.id, limited.id],
    events: {
      [TOKEN_KEY]: ['wallet.updated'],
      [customerId]: ['customer.created'],
      [club.id]: [
        'subscription.created',
        'payment.succeeded',
        'subscription.active',
        ...renewals(CYCLES - 1),
        'payment.failed',
        'payment.succeeded',
        'subscription.canceled',
      ],
      [limited.id]: [
        'subscription.created',
        'payment.succeeded',
        'subscription.active',
        ...renewals(LIMITED.maxCycles - 1),
        'subscription.canceled',
      ],
    },
  };
}

function renewals(count: number): string[] {
  return Array.from({ length: count }, () => 'payment.succeeded');
}
