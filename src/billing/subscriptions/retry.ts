import type { Deferral } from '../../../machines/subscription/context.ts';
import type { Hand } from '../../engine/types.ts';
import { conflict, notFound } from '../../fault.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Tenant } from '../../store/tenant.ts';
import { outcomeDeadline } from '../outcome.ts';
import { readinessOf } from '../readiness.ts';
import { requireTaken } from '../refusals.ts';
import type { SubscriptionRecord } from '../services.ts';
import type { SubscriptionsDeps } from './deps.ts';
import { requireSubscription } from './find.ts';
import { isInFlight } from './in-flight.ts';
import { contextOf, subscriptionRecord } from './record.ts';
import { wouldTake } from './would-take.ts';

const NEEDED = {
  name: 'retry',
  needs: 'past_due, or pending after a failed first charge, with no attempt in flight',
} as const;

/** A retry of which nothing but the payer's money can be in the way. */
export const RETRY = { type: 'retry.requested', charge: { ready: true } } as const;

/**
 * One attempt of the open cycle now (docs/rules.md, "Subscriptions": retry). Resolves when its outcome is known, or with what
 * is known after 25 s. Throws 409 where there is nothing to retry, and where no attempt can be made, saying why.
 */
export async function retryNow(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  id: string,
  by: Hand,
): Promise<SubscriptionRecord> {
  const deadline = outcomeDeadline(deps.clock);
  const doc = await requireSubscription(deps, tenant, id);
  if (!wouldTake(doc, RETRY, deps.clock())) refuse(doc);
  const [charge] = await readinessOf(deps, [doc]);
  if (!charge?.ready) throw conflict(notReady(doc, charge?.why ?? 'not_enabled'));
  const opened = requireTaken(await deps.engine.dispatch({ kind: 'subscription', id, event: RETRY, by }), NEEDED);
  const ended = await deps.engine.when('subscription', id, (each) => hasOutcome(each, opened), deadline);
  if (!ended) throw notFound();
  await deps.engine.settled(id);
  return subscriptionRecord(ended, deps.clock());
}

function refuse(doc: ActorDoc): void {
  requireTaken({ kind: doc.quarantine === null ? 'refused' : 'quarantined', doc }, NEEDED);
}

/** The attempt that was opened has ended, whatever has been opened since. */
function hasOutcome(doc: ActorDoc, opened: ActorDoc): boolean {
  const attempt = contextOf(opened).open;
  const { open } = contextOf(doc);
  return !isInFlight(doc) || open?.number !== attempt?.number || open?.attempt !== attempt?.attempt;
}

function notReady(doc: ActorDoc, why: Deferral): string {
  const { tokenKey } = contextOf(doc).terms;
  const what = `Subscription is ${doc.status} and cannot be charged now`;
  switch (why) {
    case 'no_payout_wallet':
      return `${what}: no payout wallet is registered for ${tokenKey}; register one with POST /wallets`;
    case 'not_enabled':
      return `${what}: the chain of ${tokenKey} is not enabled on this installation`;
    case 'sold_out':
      return `${what}: its offer is sold out; retry needs a unit of it`;
    case 'merchant_suspended':
      return `${what}: the merchant account is suspended`;
    default: {
      const never: never = why;
      throw new Error(`unknown deferral ${String(never)}`);
    }
  }
}
