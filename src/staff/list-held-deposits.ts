import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { page } from '../http/input/fields.ts';
import { pageEcho } from '../http/views/shared.ts';
import { depositSchema, depositView } from './views.ts';

export const listHeldDeposits = staffEndpoint({
  summary: 'List what lies at deposit addresses and is not sent back by itself; `limit` and `start` count payments',
  params: none,
  query: z.object(page),
  body: none,
  responses: { 200: z.strictObject({ deposits: z.array(depositSchema), ...pageEcho }) },
  errors: [],
  handle: async ({ query }, { services }) => {
    const deposits = await services.administration.heldDeposits(query);
    return answer(200, { deposits: deposits.map(depositView), ...query });
  },
});
