import { z } from 'zod';
import { webhookEvent } from '../../../machines/effects.ts';
import { COMPARED, listEvents as findEvents } from '../../billing/events/events.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { created, page, pageOf, queryInteger } from '../../http/input/fields.ts';
import { pageEcho, pageView } from '../../http/schemas.ts';
import { exampleEvent } from '../openapi/examples/events.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { EVENT_FIELDS, eventSchema, eventView } from '../views/event.ts';

const WAIT_SECONDS_MAX = 25;

/** Ids or other texts: an unknown one matches no event. */
const knownIds = z
  .string()
  .max(1_000, 'must be at most 1000 characters long')
  .transform((text) => text.split(','))
  .refine((ids) => ids.length <= COMPARED, `must be at most ${COMPARED} ids`)
  .meta({ type: 'string', maxLength: 1_000 });

export const listEvents = endpoint({
  summary: 'List events, newest first, or wait for the next one',
  id: 'listEvents',
  description:
    'Each event as it is delivered, also without a URL. With `wait` the answer comes when a new event arrives, at the ' +
    'latest after that time, and is the page at that moment.\n\n' +
    'To follow the log, send the first ids of your last page as `known`: the call then returns at once if an event arrived ' +
    'between two calls. Recognise events that you have seen by `id`. After a crash of the service an event can appear after ' +
    'newer ones, so read the last minutes of the log again from time to time.',
  query: z.object({
    event: webhookEvent.optional().describe('Only events of this kind.'),
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
    200: z.strictObject({ events: z.array(eventSchema).describe('One page, newest first.'), ...pageEcho }),
  },
  csv: { list: 'events', columns: EVENT_FIELDS },
  example: {
    query: { event: 'payment.succeeded', limit: '20', start: '0', wait: '25', known: IDS.event },
    answer: { status: 200, body: { events: [exampleEvent('payment.succeeded')], limit: 20, start: 0, hasMore: false } },
  },
  handle: async ({ query, caller }, deps) => {
    const page = pageOf(query);
    const found = await findEvents(deps, caller, { ...query, ...page, waitMs: query.wait * 1_000 });
    return answer(200, { events: found.items.map(eventView), ...pageView(page, found) });
  },
});
