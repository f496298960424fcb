import { z } from 'zod';
import { MACHINES } from '../../../machines/versions.ts';
import { diagramOf } from '../../engine/diagram.ts';
import { journalOf } from '../../engine/journal.ts';
import { replaySteps } from '../../engine/replay.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { answer } from '../../http/endpoint.ts';
import { jsonValue } from '../../http/schemas.ts';
import { paymentIdOf } from '../../store/ids.ts';
import { staffEndpoint } from '../endpoint.ts';
import { diagramSchema, inspectionSchema, stepsSchema } from '../wire.ts';
import { eventInWords } from './event-words.ts';
import { inspectDelivery } from './inspect-delivery.ts';
import { inspectPayment } from './inspect-payment.ts';
import { inspectSubscription } from './inspect-subscription.ts';
import { requireActor } from './inspection.ts';
import { differences, journalEntryOf } from './journal.ts';

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
    const { version, machine } = MACHINES[kind].current;
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

function queryNumber(least: number, most: number) {
  const message = `must be between ${least} and ${most}`;
  return z
    .string(message)
    .regex(/^\d{1,7}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);
}

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
  from: queryNumber(1, 1_000_000).prefault('1'),
  limit: queryNumber(1, PAGE_MAX).prefault('100'),
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
