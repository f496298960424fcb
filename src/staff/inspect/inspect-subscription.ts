import { type SubscriptionContext, subscriptionContext } from '../../../machines/subscription/context.ts';
import { journalOf } from '../../engine/journal.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { subscriptionAttributes } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { ActionView, Inspection, Note } from '../wire.ts';
import { subscriptionAnswers } from './answers.ts';
import { asNewest, generalPart, requireActor } from './inspection.ts';
import { subscriptionFacts } from './next-charge.ts';
import { actorNotes, chargeNotes, chargesOf, deliveriesOf, longDay, paymentsOf } from './views.ts';
import { FAILURES } from './waits.ts';

const PAYMENTS_SHOWN = 24;
const CHARGED_SHOWN = 12;
const DELIVERIES_SHOWN = 25;

/** Throws 404. */
export async function inspectSubscription(deps: HttpDeps, id: string): Promise<Inspection> {
  const stored = await requireActor(deps, 'subscription', id);
  const [rows, payments, deliveries] = await Promise.all([
    journalOf(deps.store, stored),
    paymentsOf(deps, stored, PAYMENTS_SHOWN),
    deliveriesOf(deps.store, id, DELIVERIES_SHOWN),
  ]);
  const [general, charges] = await Promise.all([
    generalPart(deps, stored, rows),
    chargesOf(
      deps,
      payments.slice(0, CHARGED_SHOWN).map((payment) => payment.id),
    ),
  ]);
  const { doc, unsound } = asNewest(stored);
  const { customerId, offerId, offerName } = subscriptionAttributes.parse(doc.attributes);
  return {
    ...general,
    actions: unsound === null && stored.quarantine === null ? inWords(general.actions, doc) : general.actions,
    title: offerName,
    facts: unsound === null ? await subscriptionFacts(deps, doc, customerId) : [],
    answers: unsound === null ? subscriptionAnswers(deps, { doc, journal: general.journal, payments, charges }) : [],
    notes: [
      ...actorNotes(stored, unsound),
      ...(unsound === null ? [...riskNotes(doc), ...(await consentNotes(deps, doc))] : []),
      ...chargeNotes(charges),
    ],
    related: [
      { kind: 'customer', id: customerId, label: 'Its customer' },
      { kind: 'offer', id: offerId, label: 'Its offer' },
    ],
    payments,
    charges,
    deliveries,
    deposits: [],
  };
}

/** Each refusal in words, with the machine's terms behind them. */
function inWords(actions: readonly ActionView[], doc: ActorDoc): ActionView[] {
  const context = subscriptionContext.parse(doc.context);
  return actions.map((action) => {
    const words = action.isAllowed ? null : refusalInWords(action.name, doc, context);
    return words === null ? action : { ...action, why: words, terms: action.why };
  });
}

/** Why nothing can be charged under what the payer has signed. */
async function consentNotes({ store }: HttpDeps, doc: ActorDoc): Promise<Note[]> {
  const { consent } = subscriptionContext.parse(doc.context);
  const [mandate] = await store.records.get('mandates', consent?.mandateId ? [consent.mandateId] : []);
  if (mandate === undefined) return [];
  const { payer, revokedAt, usedUpAt } = mandate;
  const until = 'Nothing can be charged until a wallet signs again, at a link of the subscription.';
  if (revokedAt) return [{ name: 'revoked', text: `${payer} has revoked the agreement on the chain. ${until}` }];
  return usedUpAt === undefined ? [] : [{ name: 'used_up', text: `All charges that were signed are made. ${until}` }];
}

function riskNotes(doc: ActorDoc): Note[] {
  const { risk } = subscriptionContext.parse(doc.context);
  return risk.short === null ? [] : [{ name: 'at_risk', text: `The next charge is at risk: ${FAILURES[risk.short]}.` }];
}

/** Why a refused action makes no sense for a subscription now, in words; null: only the machine's terms say it. */
function refusalInWords(
  action: string,
  { status }: Pick<ActorDoc, 'status'>,
  context: SubscriptionContext,
): string | null {
  if (status === 'canceled') return 'It has been canceled, and this is final.';
  if (action === 'retry') return whyNoRetry(context);
  if (action === 'resume' && context.cancelAt === null && context.deferred === null && !context.pause) {
    return 'Nothing to resume: no cancel is scheduled, no pause is on, and no due charge waits.';
  }
  return null;
}

function whyNoRetry(context: SubscriptionContext): string | null {
  const { terms, open, wakeAt, deferred, currentPeriodEnd, trialEnd } = context;
  if (context.pause) return 'Nothing to retry: it is paused.';
  if (open !== null && wakeAt === null)
    return `Nothing to retry: attempt ${open.attempt} of cycle ${open.number} is in flight.`;
  if (open !== null || deferred !== null || currentPeriodEnd === null) return null;
  const until = longDay(currentPeriodEnd);
  if (terms.model?.kind === 'metered') return `Nothing to retry: the use is charged on ${until}.`;
  if (currentPeriodEnd === trialEnd) return `Nothing to retry: its trial runs until ${until}.`;
  return `Nothing to retry: it is paid until ${until}.`;
}
