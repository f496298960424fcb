import { z } from 'zod';
import { moment, webhookEvent } from '../../../machines/effects.ts';
import { archivedBefore } from '../../billing/events/archived.ts';
import {
  COMPARED,
  getEvent as findEvent,
  listEvents as findEvents,
  listEventsInOrder as findInOrder,
  redeliverEvent as redeliver,
} from '../../billing/events/events.ts';
import { invalid } from '../../errors/fault.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { created, oneOf, page, pageOf, queryInteger, text } from '../../http/input/fields.ts';
import { pageEcho, pageView } from '../../http/schemas.ts';
import { exampleEvent } from '../openapi/examples/events.ts';
import { IDS, MOMENTS } from '../openapi/examples/ids.ts';
import { EVENT_FIELDS, eventRecordSchema, eventRecordView, eventSchema, eventView } from '../views/event.ts';

type EventRecord = z.output<typeof eventRecordSchema>;

/** An event that the second attempt delivered. */
const exampleEventRecord: EventRecord = {
  ...exampleEvent('payment.succeeded'),
  data: { source: 'subscription', subscriptionId: IDS.subscription, invoiceId: `sub-pay-${IDS.cycle}` },
  resourceId: IDS.subscription,
  deliveries: [
    {
      id: IDS.delivery,
      status: 'delivered',
      nextAttemptAt: null,
      attempts: [
        {
          attempt: 1,
          startedAt: '2026-01-15T09:31:16.922Z',
          durationMs: 87,
          status: 503,
          error: null,
          body: 'Back in a minute',
        },
        {
          attempt: 2,
          startedAt: '2026-01-15T09:32:17.010Z',
          durationMs: 64,
          status: 204,
          error: null,
          body: '',
        },
      ],
      createdAt: MOMENTS.settled,
    },
  ],
};

/** The same event in the answer to a redelivery. */
const redeliveredEventRecord: EventRecord = {
  ...exampleEventRecord,
  deliveries: exampleEventRecord.deliveries.map((delivery) => ({ ...delivery, status: 'sending' })),
};

/** `{eventId}` in a path. */
const eventParams = z.object({ eventId: z.string().describe('The event: `evt_…`.') });

const WAIT_SECONDS_MAX = 25;

/** Ids or other texts: an unknown one matches no event. */
const knownIds = z
  .string()
  .max(1_000, 'must be at most 1000 characters long')
  .transform((text) => text.split(','))
  .refine((ids) => ids.length <= COMPARED, `must be at most ${COMPARED} ids`)
  .meta({ type: 'string', maxLength: 1_000 });

export const listEvents = endpoint({
  summary: 'List events, newest or oldest first, or wait for the next one',
  id: 'listEvents',
  description:
    'Each event as it is delivered, also without a URL. With `wait` the answer comes when a new event arrives, at the ' +
    'latest after that time, and is the page at that moment.\n\n' +
    'To follow the log, send the first ids of your last page as `known`: the call then returns at once if an event arrived ' +
    'between two calls. Recognise events that you have seen by `id`. During its first attempt, and after a crash of the service, ' +
    'an event can appear after newer ones, so read the last minutes of the log again from time to time.\n\n' +
    'To apply what you have missed, read with `order=asc`, keep the `id` of the last event, and continue with it as `after`: ' +
    'no event appears later before one that you have read. For this, the list ends before the oldest event that is not ' +
    'stored yet, and 15 seconds before the present.',
  query: z.object({
    event: webhookEvent.optional().describe('Only events of this kind.'),
    delivery: oneOf(['retrying', 'failed'])
      .optional()
      .describe(
        'Only events that have not reached the endpoint: `retrying` will be tried again, `failed` not by itself. Not with `order=asc` or `wait`.',
      ),
    order: oneOf(['desc', 'asc'])
      .default('desc')
      .describe('`desc`: newest first. `asc`: oldest first; not with `start`, `startingAfter`, `wait` and `known`.'),
    after: text(100).optional().describe('With `order=asc`: the `id` of the event after which the page begins.'),
    created,
    ...page,
    wait: queryInteger(0, WAIT_SECONDS_MAX, `must be between 0 and ${WAIT_SECONDS_MAX}`)
      .default(0)
      .describe('Seconds to wait for a new event.'),
    known: knownIds
      .optional()
      .describe(
        'With `wait`: the ids of the newest events that you have, separated by commas, at most 20. If the log has another ' +
          'event among its newest ones, the call does not wait.',
      ),
  }),
  responses: {
    200: z.strictObject({
      events: z.array(eventSchema).describe('One page, in the `order`.'),
      ...pageEcho,
      archivedBefore: moment
        .optional()
        .describe('Events that were created before this moment may be in an archive of the operator. Absent: none is.'),
    }),
  },
  csv: { list: 'events', columns: EVENT_FIELDS },
  example: {
    query: { event: 'payment.succeeded', limit: '20', start: '0' },
    answer: { status: 200, body: { events: [exampleEvent('payment.succeeded')], limit: 20, start: 0, hasMore: false } },
  },
  handle: async ({ query, caller }, deps) => {
    const page = pageOf(query);
    const { after, start, startingAfter, wait, known, delivery } = query;
    const isOldestFirst = query.order === 'asc';
    if ((isOldestFirst ? (start ?? startingAfter ?? known ?? (wait || undefined)) : after) !== undefined)
      throw invalid('order asc takes after, order desc takes start, startingAfter, wait and known');
    if (delivery !== undefined && (isOldestFirst || wait > 0)) throw invalid('delivery is not for order=asc or wait');
    const found = isOldestFirst
      ? await findInOrder(deps, caller, query)
      : await findEvents(deps, caller, { ...query, ...page, waitMs: wait * 1_000 });
    const archived = await archivedBefore(deps.store.records);
    const older = archived === null ? {} : { archivedBefore: archived };
    return answer(200, { events: found.items.map(eventView), ...pageView(page, found), ...older });
  },
});

export const getEvent = endpoint({
  summary: 'Read an event with its deliveries and their attempts',
  id: 'getEvent',
  params: eventParams,
  responses: { 200: eventRecordSchema },
  errors: [404],
  example: { params: { eventId: IDS.event }, answer: { status: 200, body: exampleEventRecord } },
  handle: async ({ params, caller }, deps) =>
    answer(200, eventRecordView(await findEvent(deps, caller, params.eventId))),
});

export const redeliverEvent = endpoint({
  summary: 'Deliver an event once more',
  id: 'redeliverEvent',
  description:
    'Delivers immediately, to the present URL, with the same `id` and six new attempts, also after a success or ' +
    'failure. If the event waits for a retry, that attempt is made now. The answer does not wait for it.',
  params: eventParams,
  responses: { 202: eventRecordSchema },
  errors: [404, 409],
  notes: { 409: 'An attempt is under way or still to come, or no webhook URL is set.' },
  messages: { 409: 'Delivery is sending; redeliver needs retrying, delivered, failed or no_endpoint' },
  example: { params: { eventId: IDS.event }, answer: { status: 202, body: redeliveredEventRecord } },
  handle: async ({ params, caller }, deps) =>
    answer(202, eventRecordView(await redeliver(deps, caller, params.eventId))),
});
