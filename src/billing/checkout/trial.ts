import { actorTime } from '../../engine/projection.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * The days left of a subscription's trial at a real moment, rounded up, by its own clock. null if there is no trial, or
 * if it is over: by its end, or because the first charge has been tried.
 */
export function trialDaysLeft(subscription: ActorDoc, real: Date): number | null {
  const { trialEnd, anchor, open } = subscriptionContextOf(subscription);
  if (trialEnd === null || anchor !== null || open !== null) return null;
  const left = Date.parse(trialEnd) - Date.parse(actorTime(real, subscription.clockOffsetMs));
  return left > 0 ? Math.ceil(left / DAY_MS) : null;
}
