import type { BlockedReason } from '../../../machines/effects.ts';
import { blockedReasonOf } from '../../../machines/payment/changes.ts';
import { BLOCKED_BY } from '../../../machines/subscription/context.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { SentBy } from '../../engine/types.ts';
import { conflict, notFound } from '../../errors/fault.ts';
import { isAwaited } from '../../model/awaited.ts';
import { BLOCKED } from '../../model/blocked.ts';
import { cyclePaymentId, paymentContextOf } from '../../model/payment.ts';
import { isInFlight, subscriptionContextOf } from '../../model/subscription.ts';
import { wouldTake } from '../../model/would-take.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { outcomeDeadline } from '../actors/outcome.ts';
import { requireTaken } from '../actors/refusals.ts';
import type { SubscriptionsDeps } from './deps.ts';
import { readinessOf } from './readiness.ts';
import { requireSubscription } from './subscriptions.ts';

const NEEDED = {
  name: 'retry',
  needs: 'a failed or blocked charge, with no attempt in flight',
} as const;

/** A retry for a charge that has everything but perhaps the payer's money. */
export const RETRY = { type: 'retry.requested', charge: { ready: true } } as const;

const LIFTED = { type: 'pause.lifted' } as const;

/**
 * Makes one attempt of the open or due cycle now, or repeats the attempt in flight if its charge has paused
 * (docs/rules.md, "Subscriptions": retry). Resolves when its outcome is known, or with the present state after 25 s.
 * Throws 409 if there is nothing to retry, or with the reason if no attempt can be made.
 */
export async function retrySubscription(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  id: string,
  by: SentBy,
): Promise<ActorDoc> {
  const deadline = outcomeDeadline(deps.engine);
  const doc = await requireSubscription(deps, tenant, id);
  if (isInFlight(doc)) return retryPaused(deps, doc, by, deadline);
  if (!wouldTake(doc, RETRY, deps.clock())) refuse(doc);
  const [charge] = await readinessOf(deps, [doc]);
  if (!charge?.ready) throw conflict(notReady(doc, BLOCKED_BY[charge?.why ?? 'not_enabled']));
  const event = { ...RETRY, charge };
  const opened = requireTaken(await deps.engine.dispatch({ kind: 'subscription', id, event, by }), NEEDED);
  const ended = await deps.engine.when('subscription', id, (each) => hasOutcome(each, opened), deadline);
  if (!ended) throw notFound();
  await deps.engine.completed(id);
  return ended;
}

/** Requests the charge of the attempt in flight again, if it has paused, before its pause ends. */
async function retryPaused(deps: SubscriptionsDeps, doc: ActorDoc, by: SentBy, deadline: number): Promise<ActorDoc> {
  const { open } = subscriptionContextOf(doc);
  const paymentId = open === null ? null : cyclePaymentId(doc._id, open.number);
  const [payment] = paymentId === null ? [] : await deps.store.actors.load('payment', [paymentId]);
  if (!payment || !wouldTake(payment, LIFTED, deps.clock())) return refuse(doc);
  const about = { kind: 'payment', id: payment._id } as const;
  const lifted = await deps.engine.dispatch({ ...about, event: LIFTED, by });
  if (lifted.kind !== 'taken') return refuse(doc);
  const { pauses } = paymentContextOf(payment);
  const tried = await deps.engine.when(
    'payment',
    payment._id,
    (each) => !isAwaited(each) || paymentContextOf(each).pauses > pauses,
    deadline,
  );
  if (!tried) throw notFound();
  await deps.engine.completed(payment._id);
  const reason = blockedReasonOf(paymentContextOf(tried));
  if (reason !== null && reason !== 'undeliverable') throw conflict(notReady(doc, reason));
  const isOver = (each: ActorDoc) => isAwaited(tried) || hasOutcome(each, doc);
  const ended = await deps.engine.when('subscription', doc._id, isOver, deadline);
  if (!ended) throw notFound();
  await deps.engine.completed(doc._id);
  return ended;
}

function refuse(doc: ActorDoc): never {
  requireTaken({ kind: doc.quarantine === null ? 'refused' : 'quarantined', doc }, NEEDED);
  throw new Error(`${doc._id} was neither refused nor quarantined`);
}

/** True if the opened attempt has ended, whatever was opened since. */
function hasOutcome(doc: ActorDoc, opened: ActorDoc): boolean {
  const attempt = subscriptionContextOf(opened).open;
  const { open } = subscriptionContextOf(doc);
  return !isInFlight(doc) || open?.number !== attempt?.number || open?.attempt !== attempt?.attempt;
}

function notReady(doc: ActorDoc, why: BlockedReason): string {
  const { tokenKey } = subscriptionContextOf(doc).terms;
  const what = `Subscription is ${doc.status} and cannot be charged now`;
  switch (why) {
    case 'no_payout_wallet':
      return `${what}: no payout wallet is registered for ${tokenKey}; register one with POST /wallets`;
    case 'chain_not_enabled':
      return `${what}: the chain of ${tokenKey} is not enabled on this installation`;
    case 'sold_out':
      return `${what}: its offer is sold out; retry needs a unit of it`;
    case 'merchant_suspended':
      return `${what}: the merchant account is suspended`;
    case 'undeliverable':
      return `${what}: ${BLOCKED[why]}`;
    default:
      return unknownCase(why, 'reason');
  }
}
