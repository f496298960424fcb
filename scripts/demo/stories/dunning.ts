import { TOKEN_KEY } from '../shop.ts';
import type { Stage } from '../stage.ts';
import type { Story, StoryResult } from '../story.ts';
import { runOut } from './dunning/grace.ts';
import { endAtLimit } from './dunning/limit.ts';
import { COFFEE_CLUB, NEWSPAPER, TEA_CLUB } from './dunning/plans.ts';
import { comeBack } from './dunning/recovery.ts';
import { createCustomer, subscribe } from './subscription/subscribe.ts';

/** The results of failed charges: paid later, abandoned after seven days, and ended by the price's limit. */
export const dunning: Story = {
  name: 'dunning',
  title: 'Charges fail: retries, grace and the end',
  run,
};

async function run(stage: Stage): Promise<StoryResult> {
  const customerId = await createCustomer(stage);
  const club = await subscribe(stage, COFFEE_CLUB, customerId);
  await comeBack(stage, club);

  stage.timeline.chapter('The payer revokes the allowance for good: seven days of grace');
  const tea = await subscribe(stage, TEA_CLUB, customerId);
  await runOut(stage, tea);

  stage.timeline.chapter(`A price that allows no more than ${NEWSPAPER.maxFailedCycles} failures in a row`);
  const paper = await subscribe(stage, NEWSPAPER, customerId);
  await endAtLimit(stage, paper);
  return {
    subscriptionIds: [club.id, tea.id, paper.id],
    events: {
      [TOKEN_KEY]: ['wallet.updated'],
      [customerId]: ['customer.created'],
      [club.id]: [...FIRST_CHARGE, ...failures(3), 'payment.succeeded', 'subscription.canceled'],
      [tea.id]: [...FIRST_CHARGE, ...failures(5), 'subscription.canceled'],
      [paper.id]: [...FIRST_CHARGE, ...failures(NEWSPAPER.maxFailedCycles), 'subscription.canceled'],
    },
  };
}

const FIRST_CHARGE = ['subscription.created', 'payment.succeeded', 'subscription.active'];

function failures(count: number): string[] {
  return Array.from({ length: count }, () => 'payment.failed');
}
