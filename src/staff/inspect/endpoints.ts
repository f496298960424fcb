import { z } from 'zod';
import type { DeliveryEvent } from '../../../machines/delivery/events.ts';
import type { PaymentEvent } from '../../../machines/payment/events.ts';
import type { SubscriptionEvent } from '../../../machines/subscription/events.ts';
import { MACHINES } from '../../../machines/versions.ts';
import { depositsOf } from '../../billing/administration/deposits.ts';
import { diagramOf } from '../../engine/diagram.ts';
import { journalOf } from '../../engine/journal.ts';
import { replaySteps } from '../../engine/replay.ts';
import { notFound } from '../../errors/fault.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { answer } from '../../http/endpoint.ts';
import { queryInteger } from '../../http/input/fields.ts';
import { jsonValue } from '../../http/schemas.ts';
import { paymentAttributes, paymentUnits } from '../../model/payment.ts';
import type { EventDoc } from '../../store/collections.ts';
import { paymentIdOf } from '../../store/ids.ts';
import { eventOfDelivery, unsoundnessOf } from '../../webhooks/deliveries.ts';
import { staffEndpoint } from '../endpoint.ts';
import { depositView } from '../views.ts';
import { type ActorKind, diagramSchema, type Inspection, inspectionSchema, stepsSchema } from '../wire.ts';
import { deliveryAnswers, paymentAnswers } from './answers.ts';
import { inspectSubscription } from './inspect-subscription.ts';
import { inspectedDelivery, machineOf } from './inspected.ts';
import { asNewest, generalPart, machinePart, requireActor } from './inspection.ts';
import { differences, journalEntryOf } from './journal.ts';
import { kindOfId } from './kinds.ts';
import { paymentFacts } from './next-charge.ts';
import { actorNotes, chargeNotes, chargesOf, deliveriesOf, deliveryView, paymentRowOf } from './views.ts';

export const getStaffSubscription = staffEndpoint({
  summary: 'Get everything about a subscription: its state, the event it waits for, possible events, journal and money',
  params: z.object({ subscriptionId: z.string() }),
  responses: { 200: inspectionSchema },
  errors: [404],
  handle: async ({ params }, deps) => answer(200, await inspectSubscription(deps, params.subscriptionId)),
});

export const getStaffPayment = staffEndpoint({
  summary: 'Get everything about a payment, by any spelling of its id',
  params: z.object({ paymentId: z.string() }),
  responses: { 200: inspectionSchema },
  errors: [404],
  handle: async ({ params }, deps) => answer(200, await inspectPayment(deps, params.paymentId)),
});

export const getStaffDelivery = staffEndpoint({
  summary: 'Get everything about a delivery: it has attempts instead of a journal',
  params: z.object({ deliveryId: z.string() }),
  responses: { 200: inspectionSchema },
  errors: [404],
  handle: async ({ params }, deps) => answer(200, await inspectDelivery(deps, params.deliveryId)),
});

export const getMachine = staffEndpoint({
  summary: 'Get a machine as a graph, made from the machine itself',
  params: z.object({ kind: z.enum(['subscription', 'payment', 'delivery']) }),
  responses: { 200: diagramSchema },
  handle: async ({ params: { kind } }) => {
    const { version, machine } = machineOf(kind);
    const { states, edges } = diagramOf(machine);
    return answer(200, {
      kind,
      version,
      states: states.map((state) => ({ ...state })),
      edges: edges.map(({ from, to, labels }) => ({
        from,
        to,
        labels: labels.map((label) => ({ ...label, words: eventInWords(kind, label.event) })),
      })),
    });
  },
});

const PAGE_MAX = 200;

async function stepsOf(deps: HttpDeps, kind: 'subscription' | 'payment', id: string, from: number, limit: number) {
  const doc = await requireActor(deps, kind, id);
  const { steps, problem } = replaySteps(MACHINES, doc, await journalOf(deps.store, doc));
  const shown = steps.slice(from - 1, from - 1 + limit).map(({ row, state }, index) => {
    const before = steps[from + index - 2]?.state ?? null;
    const entry = journalEntryOf(row);
    if (state === null) return { ...entry, state, changes: [] };
    const { value, context } = state;
    return {
      ...entry,
      state: { value: jsonValue.parse(value), path: entry.to, context },
      changes: differences(before, state),
    };
  });
  return { id: doc._id, total: doc.rev, from, steps: shown, problem: problem?.message ?? null };
}

const steppingQuery = z.object({
  from: queryInteger(1, 1_000_000, 'must be between 1 and 1000000').default(1),
  limit: queryInteger(1, PAGE_MAX, `must be between 1 and ${PAGE_MAX}`).default(100),
});

export const stepSubscription = staffEndpoint({
  summary:
    "Step through a subscription's journal: state and context at each revision, recomputed by replay, and the changes",
  params: z.object({ subscriptionId: z.string() }),
  query: steppingQuery,
  responses: { 200: stepsSchema },
  errors: [404],
  handle: async ({ params, query }, deps) =>
    answer(200, await stepsOf(deps, 'subscription', params.subscriptionId, query.from, query.limit)),
});

export const stepPayment = staffEndpoint({
  summary: "Step through a payment's journal in the same way",
  params: z.object({ paymentId: z.string() }),
  query: steppingQuery,
  responses: { 200: stepsSchema },
  errors: [404],
  handle: async ({ params, query }, deps) =>
    answer(200, await stepsOf(deps, 'payment', paymentIdOf(params.paymentId), query.from, query.limit)),
});

const SUBSCRIPTION: Readonly<Record<SubscriptionEvent['type'], string>> = {
  'actor.created': 'the subscription was made',
  'cycle.due': 'the next charge is due',
  'deferral.lifted': 'what held the charge back seems to be gone',
  'allowance.seen': 'the allowance of the payer was checked',
  'risk.due': 'it is time for the check before the charge',
  'risk.seen': 'the check before the charge has ended',
  'payer.linked': 'a wallet of the customer was linked',
  'payer.authorized': 'a wallet has signed that it pays',
  'cancel.requested': 'somebody asked to cancel it',
  'retry.requested': 'somebody asked to charge again now',
  'resume.requested': 'somebody asked to resume it',
  'pause.requested': 'somebody asked to pause it',
  'quantity.requested': 'somebody asked for another quantity',
  'discount.requested': 'a discount was set or taken off',
  'usage.seen': 'the merchant has counted further use',
  'variables.replaced': 'the merchant replaced its variables',
  'migration.requested': 'somebody asked to move it to another price',
  'migration_cancel.requested': 'the move to another price was taken back',
  'migration.signed': 'a wallet has signed the other price',
  'migration.seen': 'the allowance for the other price was checked',
  'clock.moved': 'the sandbox moved its clock',
  'failure.forced': 'the sandbox asked that charges fail',
  'charge.pulled': 'a block contains the charge',
  'charge.settled': 'the charge has settled',
  'charge.failed': 'the attempt to charge has failed',
  'charge.withdrawn': 'the open charge was taken back',
  'charge.reorged': 'the chain has dropped the block of a settled charge',
  'charge.blocked': 'the charge cannot be made, and the payer is not the cause',
  'charge.refunded': 'the merchant has given money of a cycle back',
};

const PAYMENT: Readonly<Record<PaymentEvent['type'], string>> = {
  'actor.created': 'the payment was made',
  'charge.opened': 'a further attempt was opened',
  'charge.withdrawn': 'its subscription took the charge back',
  'charge.scheduled': 'its subscription set the time of the next attempt',
  'cancel.requested': 'somebody asked to cancel it',
  'deposit.seen': 'the deposit address was checked',
  'deposit.expired': 'the time for the deposit has run out',
  'pause.over': 'its pause is over',
  'pause.lifted': 'what stopped the charge may be gone',
  'charge.started': 'a sender has taken the charge for signing',
  'charge.released': 'its transaction was reverted as a whole, and the charge waits for a sender again',
  'charge.refused': 'the chain has refused to pull from the payer',
  'charge.undeliverable': 'a share could not be delivered',
  'charge.mined': 'a block contains the charge',
  'charge.final': 'the block of the charge is deep enough',
  'charge.reorged': 'the chain has dropped the block of the charge',
  'charge.moved': 'another block contains the charge now',
  'charge.blocked': 'the charge could not be submitted to the chain',
  'refund.requested': 'the merchant asked to give money back',
  'refund.sent': 'a block contains the transfer of a refund',
  'refund.settled': 'the block of that transfer is deep enough',
  'refund.reorged': 'the chain has dropped the transfer of a refund',
  'refund.canceled': 'the merchant has given a refund up',
  'refund.expired': 'the time for a refund has run out',
};

const DELIVERY: Readonly<Record<DeliveryEvent['type'], string>> = {
  'turn.came': 'the first attempt of the event before it has ended',
  'delivery.due': 'an attempt is due',
  'attempt.ended': 'an attempt has ended',
  'redelivery.requested': 'somebody asked to deliver it again',
};

const WORDS: Readonly<Record<ActorKind, { readonly [event: string]: string }>> = {
  subscription: SUBSCRIPTION,
  payment: PAYMENT,
  delivery: DELIVERY,
};

/** What an event of a machine means, in words that continue "because". */
function eventInWords(kind: ActorKind, event: string): string {
  return WORDS[kind][event] ?? event;
}

/** In any of the three spellings. Throws 404. */
async function inspectPayment(deps: HttpDeps, spelling: string): Promise<Inspection> {
  const stored = await requireActor(deps, 'payment', paymentIdOf(spelling));
  const { subscriptionId, customerId, offerId, paymentMethod } = paymentAttributes.parse(stored.attributes);
  const resource = subscriptionId ?? stored._id;
  const suffix = stored._id.slice(stored._id.indexOf('_') + 1);
  const isTransfer = paymentMethod === 'wallet_transfer';
  const [rows, charges, deposits, deliveries] = await Promise.all([
    journalOf(deps.store, stored),
    chargesOf(deps, [stored._id]),
    isTransfer ? depositsOf(deps, stored._id) : [],
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
    facts: payment === null ? [] : await paymentFacts(deps, payment, customerId),
    answers:
      payment === null
        ? []
        : paymentAnswers({
            ...{ doc, payment, deposits: deposits.map(depositView) },
            inTokens: paymentUnits(doc, deps.catalog),
          }),
    notes: [...actorNotes(stored, unsound), ...chargeNotes(charges)],
    related: [
      ...(subscriptionId === null ? [] : [{ kind: 'subscription', id: subscriptionId, label: 'Its subscription' }]),
      ...(customerId === null ? [] : [{ kind: 'customer', id: customerId, label: 'Its customer' }]),
      ...(offerId === null ? [] : [{ kind: 'offer', id: offerId, label: 'Its offer' }]),
    ],
    payments: payment === null ? [] : [payment],
    charges,
    deliveries,
    deposits: deposits.map(depositView),
  };
}

/** Throws 404. */
export async function requireDelivery({ store }: Pick<HttpDeps, 'store'>, id: string): Promise<EventDoc> {
  const [event] = await store.records.get('events', [eventOfDelivery(id)]);
  if (!event) throw notFound();
  return event;
}

/** Throws 404. */
async function inspectDelivery(deps: HttpDeps, id: string): Promise<Inspection> {
  const event = await requireDelivery(deps, id);
  const unsound = unsoundnessOf(event);
  const delivery = deliveryView(event);
  return {
    ...(await machinePart(deps, inspectedDelivery(event), unsound, event)),
    spellings: [],
    journal: [],
    replay: null,
    title: event.event,
    facts: [],
    answers: unsound === null ? deliveryAnswers(delivery) : [],
    notes: actorNotes({ ...event, outbox: [], failures: 0 }, unsound),
    related: [
      { kind: kindOfId(event.resourceId) ?? 'resource', id: event.resourceId, label: 'Its resource' },
      { kind: 'event', id: event._id, label: 'Its event' },
    ],
    payments: [],
    charges: [],
    deliveries: [delivery],
    deposits: [],
  };
}
