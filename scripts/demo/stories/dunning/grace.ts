import type { Stage } from '../../stage.ts';
import { authorize } from '../subscription/authorize.ts';
import { takeBack } from '../subscription/lapse.ts';
import type { Subscribed } from '../subscription/plan.ts';
import { failAgain, failFirst } from './attempts.ts';
import { ended } from './ended.ts';

/** The payer revokes the allowance after the first charge, for good. */
export async function runOut(stage: Stage, subscribed: Subscribed): Promise<void> {
  await authorize(stage, subscribed);
  await takeBack(stage, subscribed, 1);
  const since = await failFirst(stage, subscribed);
  for (const attempt of [2, 3, 4]) await failAgain(stage, subscribed, { attempt, since, to: 'past_due' });
  const at = await failAgain(stage, subscribed, { attempt: 5, since, to: 'canceled' });
  await ended(stage, subscribed, { at, failures: 5 });
}
