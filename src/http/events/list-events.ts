import { z } from 'zod';
import { webhookEvent } from '../../../machines/effects.ts';
import { answer, endpoint, none } from '../endpoint.ts';
import { page, queryInteger } from '../input/fields.ts';
import { exampleEvent } from '../openapi/examples/events.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { eventSchema, eventView } from '../views/event.ts';
import { pageEcho } from '../views/shared.ts';

const WAIT_SECONDS_MAX = 25;

export const listEvents = endpoint({
  summary: 'List events, newest first, or wait for the next one',
  id: 'listEvents',
  description:
    'Each as it is delivered, whether a URL is set or not. With `wait` the answer comes when an event arrives that was not ' +
    'there before, and after that time at the latest; either way it is the page as it stands then.\n\n' +
    'To follow the log, send the newest event that you have as `known`, so that nothing that arrives between two calls is ' +
    'waited for, and recognise by `id` what you have seen. After a crash of the service an event can be logged behind ' +
    'newer ones: look through what is some minutes old again.',
  params: none,
  query: z.object({
    event: webhookEvent.optional().describe('Only those of this kind.'),
    ...page,
    wait: queryInteger(0, WAIT_SECONDS_MAX, `must be between 0 and ${WAIT_SECONDS_MAX}`)
      .default(0)
      .describe('Seconds for which a further event is waited for.'),
    known: z
      .string()
      .optional()
      .describe('With `wait`: the newest event that you have. If another one is the newest, nothing is waited for.'),
  }),
  body: none,
  responses: {
    200: z.strictObject({ events: z.array(eventSchema).describe('One page, newest first.'), ...pageEcho }),
  },
  errors: [],
  example: {
    query: { event: 'payment.succeeded', limit: '20', start: '0', wait: '25', known: IDS.event },
    answer: { status: 200, body: { events: [exampleEvent('payment.succeeded')], limit: 20, start: 0 } },
  },
  handle: async ({ query, caller }, { services }) => {
    const { event = null, limit, start, wait, known = null } = query;
    const events = await services.events.list(caller, { event, limit, start, waitMs: wait * 1_000, known });
    return answer(200, { events: events.map(eventView), limit, start });
  },
});
