import type { Stage } from '../../stage.ts';
import { approveCycles } from '../subscription/authorize.ts';
import { cancel } from '../subscription/cancel.ts';
import { firstCharge } from '../subscription/charges.ts';
import { recover } from '../subscription/lapse.ts';
import type { Subscribed } from '../subscription/plan.ts';
import { CYCLE, failAgain, failFirst } from './attempts.ts';

/** The payer has approved only one cycle. The second fails, and is paid at once when more is approved. */
export async function comeBack(stage: Stage, subscribed: Subscribed): Promise<void> {
  const now = new Date().toISOString();
  await approveCycles(stage, subscribed.plan, 1n, { at: now, what: 'Ada approves' });
  await firstCharge(stage, subscribed);
  const since = await failFirst(stage, subscribed);
  await failAgain(stage, subscribed, { attempt: 2, since, to: 'past_due' });
  const at = await failAgain(stage, subscribed, { attempt: 3, since, to: 'past_due' });
  await recover(stage, subscribed, CYCLE, { at, attempts: 4 });
  await cancel(stage, subscribed, CYCLE, at);
}
