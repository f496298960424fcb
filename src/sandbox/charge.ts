import { isFree, waitsUntil } from '../../machines/subscription/usage.ts';
import { atRest } from '../billing/actors/at-rest.ts';
import { outcomeDeadline } from '../billing/actors/outcome.ts';
import { requireTaken } from '../billing/actors/refusals.ts';
import type { AllowanceWatcher } from '../billing/allowances/allowance-watcher.ts';
import type { BillingDeps } from '../billing/deps.ts';
import { pauseOf } from '../billing/subscriptions/pause.ts';
import { readinessOf } from '../billing/subscriptions/readiness.ts';
import { requireSubscription } from '../billing/subscriptions/subscriptions.ts';
import { actorTime } from '../engine/projection.ts';
import { cyclePaymentId, paymentContextOf } from '../model/payment.ts';
import { isInFlight, subscriptionContextOf } from '../model/subscription.ts';
import type { ActorDoc, Tenant } from '../store/documents.ts';
import { requireNextPeriod } from './bounds.ts';

export interface ChargeOutcome {
  readonly outcome: 'settled' | 'failed' | 'pending' | 'skipped' | 'canceled';
  readonly paymentId: string | null;
  readonly reason: string | null;
}

export interface SandboxDeps extends BillingDeps {
  readonly watcher: AllowanceWatcher;
}

/** The statuses in which a charge may be requested; else 409. */
const NEEDED = { name: 'charge', needs: 'pending, active or past_due' } as const;

/**
 * One attempt of the subscription's cycle now, due or not, in the same way as the billing job (docs/rules.md,
 * "Sandbox"). Answers when the outcome is known, or `pending` after 25 s. Throws 409 for a canceled subscription, or
 * one that is paid until after the end of all clocks.
 */
export async function chargeNow(deps: SandboxDeps, tenant: Tenant, id: string): Promise<ChargeOutcome> {
  const deadline = outcomeDeadline(deps.engine);
  const doc = await requireSubscription(deps, tenant, id);
  if (doc.status === 'canceled') requireTaken({ kind: 'refused', doc }, NEEDED);
  if (isInFlight(doc)) return skipped('in_flight');
  if (pauseOf(doc, deps.clock()) !== null) return skipped('paused');
  if (subscriptionContextOf(doc).open === null) requireNextPeriod(subscriptionContextOf(doc).currentPeriodEnd);
  if (!(await isAuthorized(deps, doc))) return skipped('not_authorized');
  const [charge] = await readinessOf(deps, [doc]);
  if (!charge?.ready) return skipped(charge?.why ?? 'not_enabled');
  const context = subscriptionContextOf(doc);
  if (isFree(context, charge.used)) return skipped('nothing_to_charge');
  const now = actorTime(deps.clock(), doc.clockOffsetMs);
  if (waitsUntil(context, now, charge.used) !== null) return skipped('window_cap');

  const event = { type: 'cycle.due', asked: true, charge } as const;
  const result = await deps.engine.dispatch({ kind: 'subscription', id, event, by: 'sandbox' });
  if (result.kind === 'refused' && isInFlight(result.doc)) return skipped('in_flight');
  return outcomeOf(deps, requireTaken(result, NEEDED), deadline);
}

function skipped(reason: string): ChargeOutcome {
  return { outcome: 'skipped', paymentId: null, reason };
}

/** Reads the chain if no authorization is known yet. */
async function isAuthorized({ store, watcher }: SandboxDeps, doc: ActorDoc): Promise<boolean> {
  if (subscriptionContextOf(doc).forcedFailure !== null || subscriptionContextOf(doc).authorizedAt !== null)
    return true;
  await watcher.check([doc._id]);
  const [seen] = await store.actors.load('subscription', [doc._id]);
  return seen !== undefined && subscriptionContextOf(seen).authorizedAt !== null;
}

async function outcomeOf(deps: SandboxDeps, opened: ActorDoc, deadline: number): Promise<ChargeOutcome> {
  const { open } = subscriptionContextOf(opened);
  if (open === null)
    return { outcome: 'canceled', paymentId: null, reason: subscriptionContextOf(opened).ended?.reason ?? null };
  const ended = await atRest(deps.engine, opened._id, deadline);
  const paymentId = cyclePaymentId(opened._id, open.number);
  const [payment] = await deps.store.actors.load('payment', [paymentId]);
  if (!payment || isInFlight(ended)) return { outcome: 'pending', paymentId: payment ? paymentId : null, reason: null };
  const reason = paymentContextOf(payment).failureReason;
  // A settled payment is reported even if the merchant has canceled meanwhile.
  if (payment.status === 'settled') return { outcome: 'settled', paymentId, reason };
  return { outcome: ended.status === 'canceled' ? 'canceled' : 'failed', paymentId, reason };
}
