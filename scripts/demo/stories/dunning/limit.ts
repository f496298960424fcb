import type { Stage } from '../../stage.ts';
import { approveCycles } from '../subscription/authorize.ts';
import { firstCharge } from '../subscription/charges.ts';
import type { Subscribed } from '../subscription/plan.ts';
import { failAgain, failFirst } from './attempts.ts';
import { ended } from './ended.ts';
import { NEWSPAPER } from './plans.ts';

/** The price limits failures in a row: the last allowed one ends the subscription days before the end of grace. */
export async function endAtLimit(stage: Stage, subscribed: Subscribed): Promise<void> {
  const now = new Date().toISOString();
  await approveCycles(stage, subscribed.plan, 1n, { at: now, what: 'Ada approves' });
  await firstCharge(stage, subscribed);
  const since = await failFirst(stage, subscribed);
  const at = await failAgain(stage, subscribed, { attempt: NEWSPAPER.maxFailedCycles, since, to: 'canceled' });
  await ended(stage, subscribed, { at, failures: NEWSPAPER.maxFailedCycles });
}
