import type { SubscriptionContext } from './context.ts';
import type { SubscriptionEventOf } from './events.ts';
import { changeRefusal, postponeMigration } from './migration.ts';
import { atRest, chargeDueAt, earliest, NO_RISK, nextTerms, unpaused } from './next-charge.ts';

type Context = SubscriptionContext;

/** Why it cannot be paused at `now`; null: it can. */
export function pauseRefusal(context: Context, now: string): ReturnType<typeof changeRefusal> | 'last' | 'due' {
  const refusal = changeRefusal(context);
  if (refusal !== null) return refusal;
  const { maxCycles } = nextTerms(context);
  if (maxCycles !== null && context.cyclesCompleted >= maxCycles) return 'last';
  const due = chargeDueAt(context);
  return context.deferred !== null || due === null || due <= now ? 'due' : null;
}

/** Also gives a pause another end. A change at once that is not paid yet begins with the first charge after it. */
export function pause(before: Context, event: SubscriptionEventOf<'pause.requested'>): Context {
  const { now, until, pausedBy: by, periodEnd } = event;
  const risk = before.pause ? before.risk : NO_RISK;
  const from = before.pause ?? { since: now, periodEnd };
  return atRest({ ...postponeMigration(before, now), risk, pause: { ...from, until, by } }, now);
}

/** Whoever is late finds the dates of the end that was set. */
export function endPause(context: Context, now: string): Context {
  return context.pause ? atRest(unpaused(context, earliest(context.pause.until, now) ?? now), now) : context;
}
