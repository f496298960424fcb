import { money } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import { expectConfirmed, fallDue, firstCharge, newestPayment, renew } from './charges.ts';
import { ofSubscription } from './events.ts';
import type { Plan, Subscribed } from './plan.ts';

export const LIMITED = { offer: 'Barista course', price: '24.00', maxCycles: 2 } satisfies Plan;

/** Shows the rest of the allowance, which is valid for everything that this merchant charges. */
export async function showAllowanceLeft({ shop, payer, timeline }: Stage): Promise<void> {
  const { token, operator } = shop;
  const left = await payer.allowance(token.address, operator);
  timeline.add({ at: new Date().toISOString(), what: "Left of Ada's allowance", amount: money(left, token) });
}

/** The offer's cycles are charged, and the subscription ends with the last period. */
export async function endByItself(stage: Stage, subscribed: Subscribed): Promise<void> {
  const { shop, world, timeline, expect } = stage;
  const { id } = subscribed;
  await firstCharge(stage, subscribed);
  await expectConfirmed(stage, subscribed);
  for (let cycle = 2; cycle <= LIMITED.maxCycles; cycle += 1) await renew(stage, subscribed, cycle);
  const end = await fallDue(stage, subscribed, [{ from: 'active', to: 'canceled' }]);
  const { status, cyclesCompleted } = await shop.merchant.api.subscriptions.get(id);
  timeline.add({ at: end, what: 'It ends by itself', status });
  expect.equal(
    'The subscription is canceled after its last cycle',
    { status, cyclesCompleted },
    { status: 'canceled', cyclesCompleted: LIMITED.maxCycles },
  );
  const isCanceled = ofSubscription(id, 'subscription.canceled');
  const canceled = await world.receiver.until(`subscription.canceled of ${id}`, isCanceled);
  expect.equal('The webhook gives the reason for the end', canceled.data['reason'], 'max_cycles_reached');
  const last = await newestPayment(stage, subscribed, LIMITED.maxCycles);
  expect.equal('The subscription ends with the last paid period', end, last.periodEnd);
}
