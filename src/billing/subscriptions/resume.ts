import type { SentBy } from '../../engine/types.ts';
import { isInFlight } from '../../model/subscription.ts';
import { wouldTake } from '../../model/would-take.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { atRest } from '../actors/at-rest.ts';
import { outcomeDeadline } from '../actors/outcome.ts';
import { requireTaken } from '../actors/refusals.ts';
import type { AllowanceReading } from '../allowances/allowance-watcher.ts';
import type { SubscriptionsDeps } from './deps.ts';
import { readinessOf } from './readiness.ts';
import { RETRY } from './retry.ts';
import { requireSubscription } from './subscriptions.ts';

const NEEDED = { name: 'resume', needs: 'pending, past_due, or active with a pause or a scheduled cancel' } as const;

/** Its time has come and nothing but the payer's money can be in the way; taken only while a charge is due. */
const DUE = { type: 'cycle.due', asked: false, charge: { ready: true } } as const;

/**
 * Ends a pause, and clears a scheduled cancel; while pending or past due also checks the chain, and where a charge is
 * due and would succeed makes one attempt (docs/rules.md, "Subscriptions": resume). Resolves when nothing is in flight
 * any more, or with what is known after 25 s, whatever the check found. Throws 409 for one that is active without a
 * pause or a scheduled cancel, or canceled.
 */
export async function resumeSubscription(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  id: string,
  by: SentBy,
): Promise<ActorDoc> {
  const deadline = outcomeDeadline(deps.engine);
  await requireSubscription(deps, tenant, id);
  const event = { type: 'resume.requested' } as const;
  const doc = requireTaken(await deps.engine.dispatch({ kind: 'subscription', id, event, by }), NEEDED);
  if (doc.status !== 'active' && !isInFlight(doc)) await checkAndAttempt(deps, doc, by);
  return atRest(deps.engine, id, deadline);
}

/**
 * What was seen and the attempt that follows from it are sent together, so that the attempt is the merchant's: reported
 * alone, what was seen would make the service begin one by itself, and this one would be the second.
 */
async function checkAndAttempt(deps: SubscriptionsDeps, doc: ActorDoc, by: SentBy): Promise<void> {
  const seen = await survey(deps, doc);
  const wouldSucceed = seen.some(({ id, next }) => id === doc._id && next?.payable === true);
  const retry = wouldSucceed ? await readyFor(deps, doc, RETRY) : null;
  await Promise.all([
    deps.watcher.notify(seen),
    retry && deps.engine.dispatch({ kind: 'subscription', id: doc._id, event: retry, by }),
  ]);
  if (!wouldSucceed || retry) return;
  const [reported] = await deps.store.actors.load('subscription', [doc._id]);
  const due = reported ? await readyFor(deps, reported, DUE) : null;
  if (due) await deps.engine.dispatch({ kind: 'subscription', id: doc._id, event: due, by });
}

/** A chain that does not answer says nothing; its watch asks again. */
async function survey({ watcher, log }: SubscriptionsDeps, doc: ActorDoc): Promise<readonly AllowanceReading[]> {
  try {
    return await watcher.survey([doc._id]);
  } catch (error) {
    log.warn({ err: error, actor: doc._id }, 'a subscription is resumed without a check of its chain');
    return [];
  }
}

/**
 * The event, if a charge would follow from it; else null. Asked of the machine first: the check of everything else
 * reserves a unit of the offer for a first charge.
 */
async function readyFor<E extends typeof RETRY | typeof DUE>(deps: SubscriptionsDeps, doc: ActorDoc, event: E) {
  if (!wouldTake(doc, event, deps.clock())) return null;
  const [charge] = await readinessOf(deps, [doc]);
  return charge?.ready ? { ...event, charge } : null;
}
