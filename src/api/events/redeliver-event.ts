import { redeliverEvent as redeliver } from '../../billing/events/events.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { redeliveredEventRecord } from '../openapi/examples/event-record.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { eventRecordSchema, eventRecordView } from '../views/event.ts';
import { eventParams } from './fields.ts';

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
