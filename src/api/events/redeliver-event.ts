import { answer, endpoint, none } from '../../http/endpoint.ts';
import { redeliveredEventRecord } from '../openapi/examples/event-record.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { eventRecordSchema, eventRecordView } from '../views/event.ts';
import { eventParams } from './fields.ts';

export const redeliverEvent = endpoint({
  summary: 'Deliver an event once more',
  id: 'redeliverEvent',
  description:
    'At once, to the URL that is set now, under the same `id`, and with six attempts of its own, whatever became of it ' +
    'before. Of an event that is being retried the next attempt is made now. The answer does not wait for it.',
  params: eventParams,
  query: none,
  body: none,
  responses: { 202: eventRecordSchema },
  errors: [404, 409],
  notes: { 409: 'An attempt is under way or still to come, or no webhook URL is set.' },
  messages: { 409: 'Delivery is sending; redeliver needs retrying, delivered, failed or no_endpoint' },
  example: { params: { eventId: IDS.event }, answer: { status: 202, body: redeliveredEventRecord } },
  handle: async ({ params, caller }, { services }) =>
    answer(202, eventRecordView(await services.events.redeliver(caller, params.eventId, 'api'))),
});
