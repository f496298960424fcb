import { actorTime } from '../../engine/projection.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { contextOf } from '../subscriptions/record.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Whole days that are left of a subscription's trial at a real moment, by its own clock; null without one, or where it is over: by
 * then, or since its first charge has been tried.
 */
export function trialDaysLeft(subscription: ActorDoc, real: Date): number | null {
  const { trialEnd, anchor, open } = contextOf(subscription);
  if (trialEnd === null || anchor !== null || open !== null) return null;
  const left = Date.parse(trialEnd) - Date.parse(actorTime(real, subscription.clockOffsetMs));
  return left > 0 ? Math.ceil(left / DAY_MS) : null;
}
