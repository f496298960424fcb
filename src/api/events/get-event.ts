import { getEvent as findEvent } from '../../billing/events/events.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { exampleEventRecord } from '../openapi/examples/event-record.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { eventRecordSchema, eventRecordView } from '../views/event.ts';
import { eventParams } from './fields.ts';

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
