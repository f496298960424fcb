import { paymentContext } from '../../../machines/payment/context.ts';
import { subscriptionContext } from '../../../machines/subscription/context.ts';
import { paymentAttributes } from '../../billing/payments/attributes.ts';
import { subscriptionAttributes } from '../../billing/subscriptions/attributes.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { paymentIdOf } from '../../ids.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { paymentAnswers, subscriptionAnswers } from './answers.ts';
import { type ChargeView, chargesOf } from './charges.ts';
import { deliveriesOf } from './deliveries.ts';
import { asNewest, generalPart, type Inspection, type Note, requireActor, wholeJournalOf } from './inspection.ts';
import { paymentRowOf, paymentsOf } from './payments.ts';
import { DEFERRALS, FAILURES } from './waits.ts';

const PAYMENTS_SHOWN = 24;
const CHARGED_SHOWN = 12;
const DELIVERIES_SHOWN = 25;

/** Throws 404. */
export async function inspectSubscription(deps: HttpDeps, id: string): Promise<Inspection> {
  const stored = await requireActor(deps, 'subscription', id);
  const [rows, payments, deliveries] = await Promise.all([
    wholeJournalOf(deps, stored),
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
    title: offerName,
    answers: unsound === null ? subscriptionAnswers(deps, { doc, journal: general.journal, payments, charges }) : [],
    notes: [
      ...standingNotes(stored, unsound),
      ...(unsound === null ? deferralNotes(doc) : []),
      ...chargeNotes(charges),
    ],
    related: [
      { kind: 'customer', id: customerId, label: 'Its customer' },
      { kind: 'offer', id: offerId, label: 'Its offer' },
    ],
    payments,
    charges,
    deliveries,
  };
}

/** In any of the three spellings. Throws 404. */
export async function inspectPayment(deps: HttpDeps, spelling: string): Promise<Inspection> {
  const stored = await requireActor(deps, 'payment', paymentIdOf(spelling));
  const { subscriptionId, customerId, offerId } = paymentAttributes.parse(stored.attributes);
  const resource = subscriptionId ?? stored._id;
  const suffix = stored._id.slice(stored._id.indexOf('_') + 1);
  const [rows, charges, deliveries] = await Promise.all([
    wholeJournalOf(deps, stored),
    chargesOf(deps, [stored._id]),
    deliveriesOf(
      deps.store,
      resource,
      100,
      ({ data }) => subscriptionId === null || JSON.stringify(data).includes(suffix),
    ),
  ]);
  const general = await generalPart(deps, stored, rows);
  const { doc, unsound } = asNewest(stored);
  const payment = unsound === null ? paymentRowOf(deps, doc) : null;
  return {
    ...general,
    title: payment === null ? 'A payment' : `${payment.amount} ${payment.token}`,
    answers: payment === null ? [] : paymentAnswers({ doc, payment }),
    notes: [...standingNotes(stored, unsound), ...(unsound === null ? pauseNotes(doc) : []), ...chargeNotes(charges)],
    related: [
      ...(subscriptionId === null ? [] : [{ kind: 'subscription', id: subscriptionId, label: 'Its subscription' }]),
      ...(customerId === null ? [] : [{ kind: 'customer', id: customerId, label: 'Its customer' }]),
      ...(offerId === null ? [] : [{ kind: 'offer', id: offerId, label: 'Its offer' }]),
    ],
    payments: payment === null ? [] : [payment],
    charges,
    deliveries,
  };
}

export function standingNotes({ quarantine, outbox, relayFailures }: ActorDoc, unsound: string | null): Note[] {
  return [
    ...(quarantine === null
      ? []
      : [{ name: 'quarantined', text: `Set aside: ${quarantine.reason}. It takes no event.` }]),
    ...(unsound === null ? [] : [{ name: 'unsound', text: `Its machine cannot work on it: ${unsound}` }]),
    ...(relayFailures === 0
      ? []
      : [
          { name: 'relay-failing', text: `${outbox.length} effects wait; the first has failed ${relayFailures} times` },
        ]),
  ];
}

function deferralNotes(doc: ActorDoc): Note[] {
  const { deferred, risk } = subscriptionContext.parse(doc.context);
  return [
    ...(deferred === null
      ? []
      : [
          {
            name: 'deferred',
            text: `Its due charge is not attempted: ${DEFERRALS[deferred.why]} (looked at ${deferred.times} times).`,
          },
        ]),
    ...(risk.short === null ? [] : [{ name: 'at_risk', text: `The next charge is at risk: ${FAILURES[risk.short]}.` }]),
  ];
}

function pauseNotes(doc: ActorDoc): Note[] {
  const { pausedFor, pauses } = paymentContext.parse(doc.context);
  return pausedFor === null ? [] : [{ name: 'paused', text: `Paused ${pauses} times: ${FAILURES[pausedFor]}.` }];
}

function chargeNotes(charges: readonly ChargeView[]): Note[] {
  const replaced = charges.find(({ note }) => note === 'delegate_replaced');
  if (replaced === undefined) return [];
  const text = `delegate_replaced: ${replaced.from} has given its delegation to another service, so that nothing can be charged from it.`;
  return [{ name: 'delegate_replaced', text }];
}
