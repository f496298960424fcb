import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { page, pageOf } from '../http/input/fields.ts';
import { pageEcho, pageView } from '../http/schemas.ts';
import { depositSchema, depositView } from './views.ts';

export const listHeldDeposits = staffEndpoint({
  summary:
    'List what lies at deposit addresses and is not sent back by itself; `limit` and `start` count payments, and `startingAfter` names one',
  params: none,
  query: z.object(page),
  body: none,
  responses: { 200: z.strictObject({ deposits: z.array(depositSchema), ...pageEcho }) },
  errors: [],
  handle: async ({ query }, { services }) => {
    const page = pageOf(query);
    const found = await services.administration.heldDeposits(page);
    return answer(200, { deposits: found.items.map(depositView), ...pageView(page, found) });
  },
});
