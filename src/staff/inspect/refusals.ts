import type { SubscriptionContext } from '../../../machines/subscription/context.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { longDay } from './moments.ts';

/** Why a refused action makes no sense for a subscription now, in words; null: only the machine's terms say it. */
export function refusalInWords(
  action: string,
  { status }: Pick<ActorDoc, 'status'>,
  context: SubscriptionContext,
): string | null {
  if (status === 'canceled') return 'It has been canceled, and this is final.';
  if (action === 'retry') return whyNoRetry(context);
  if (action === 'resume' && context.cancelAt === null && context.deferred === null) {
    return 'Nothing to resume: no cancel is scheduled, and no due charge waits.';
  }
  return null;
}

function whyNoRetry({ open, wakeAt, deferred, currentPeriodEnd, trialEnd }: SubscriptionContext): string | null {
  if (open !== null && wakeAt === null)
    return `Nothing to retry: attempt ${open.attempt} of cycle ${open.number} is in flight.`;
  if (open !== null || deferred !== null || currentPeriodEnd === null) return null;
  const until = longDay(currentPeriodEnd);
  if (currentPeriodEnd === trialEnd) return `Nothing to retry: its trial runs until ${until}.`;
  return `Nothing to retry: it is paid until ${until}.`;
}
