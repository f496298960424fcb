import { addDays } from '../../../machines/rules/period.ts';
import type { SubscriptionContext } from '../../../machines/subscription/context.ts';
import { chargeDueAt, unpaused } from '../../../machines/subscription/next-charge.ts';
import { pauseRefusal } from '../../../machines/subscription/pause.ts';
import { actorTime } from '../../engine/projection.ts';
import type { SentBy } from '../../engine/types.ts';
import { conflict, invalid } from '../../errors/fault.ts';
import { isLive, subscriptionContextOf } from '../../model/subscription.ts';
import type { PauseRules } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import type { BillingDeps } from '../deps.ts';
import { command, requireSubscription } from './subscriptions.ts';

/** The longest pause with an end, in days. */
export const PAUSE_DAYS_MAX = 366;

/** What an offer that says nothing says. */
const NO_RULES: PauseRules = { byCustomer: false, periodEnd: 'moves' };

type Pause = NonNullable<SubscriptionContext['pause']>;

/**
 * Nothing falls due until that moment, or, with null, until it is resumed (docs/rules.md, "Subscriptions": pause).
 * Repeated, it changes the end of the pause. Throws 404, 400 for an end that is not ahead, and 409 with the reason.
 */
export async function pauseSubscription(
  deps: BillingDeps,
  tenant: Tenant,
  id: string,
  { until, by: pausedBy }: { readonly until: Date | null; readonly by: Pause['by'] },
  by: SentBy,
): Promise<ActorDoc> {
  const seen = await requireSubscription(deps, tenant, id);
  requireAhead(until, actorTime(deps.clock(), seen.clockOffsetMs));
  const { periodEnd } = await pauseRulesOf(deps.store, seen);
  const request = { until: until?.toISOString() ?? null, pausedBy, periodEnd };
  const event = { type: 'pause.requested', ...request } as const;
  const refusal = (doc: ActorDoc) => {
    const why = whyNoPause(doc, deps.clock());
    return why === null ? null : conflict(why);
  };
  return command(deps, seen, { event, by, needs: 'active, paid and without an open charge', refusal });
}

/** Throws 400 if the pause would end before it begins, or after too long. */
function requireAhead(until: Date | null, now: string): void {
  if (until === null) return;
  const moment = until.toISOString();
  if (moment <= now) throw invalid(`until must be in the future: this subscription's clock shows ${now}`);
  const last = addDays(now, PAUSE_DAYS_MAX);
  if (moment > last) throw invalid(`until must be within ${PAUSE_DAYS_MAX} days; leave it out to pause without an end`);
}

export async function pauseRulesOf(store: Store, doc: ActorDoc): Promise<PauseRules> {
  const offer = await tenantStore(store, doc).record('offers', subscriptionContextOf(doc).offerId);
  return offer?.pause ?? NO_RULES;
}

/** What a pause by its payer does to the end of the paid period; null: the payer cannot pause it now. */
export async function ownPause(store: Store, doc: ActorDoc, real: Date): Promise<PauseRules['periodEnd'] | null> {
  if (!isLive(doc) || whyNoPause(doc, real) !== null) return null;
  const { byCustomer, periodEnd } = await pauseRulesOf(store, doc);
  return byCustomer ? periodEnd : null;
}

/** The pause that is on, and when the next charge is due if it ends now (null: at once); null: it is not paused. */
export function pauseOf(doc: ActorDoc, real: Date): (Pause & { readonly dueIfResumed: string | null }) | null {
  const context = subscriptionContextOf(doc);
  if (!context.pause || context.ended !== null) return null;
  const now = actorTime(real, doc.clockOffsetMs);
  const due = chargeDueAt(unpaused(context, now));
  return { ...context.pause, dueIfResumed: due !== null && due > now ? due : null };
}

const REFUSALS: { readonly [R in NonNullable<ReturnType<typeof pauseRefusal>>]: string } = {
  not_paid: 'Subscription has not been paid yet; a pause needs a paid period to be running',
  open_cycle: 'Subscription has a charge that is in flight or unpaid; a pause needs it to be paid first',
  ending: 'The end of this subscription is scheduled; a pause needs that to be taken back first',
  paused: 'The merchant has paused this subscription, and alone changes that',
  last: 'The last cycle of this subscription is paid, so it ends with this period and there is nothing to pause',
  due: 'A charge of this subscription is due; a pause needs it to be paid first',
};

/** Why it cannot be paused; null: it can, or it has ended. `real`: real time. */
function whyNoPause(doc: ActorDoc, real: Date): string | null {
  const context = subscriptionContextOf(doc);
  if (context.ended !== null) return null;
  const refusal = pauseRefusal(context, actorTime(real, doc.clockOffsetMs));
  return refusal && REFUSALS[refusal];
}
