import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { depositSchema, depositView } from './views.ts';

export const listDeposits = staffEndpoint({
  summary: 'List everything that has arrived at the deposit address of a payment, and what became of it',
  params: z.object({ paymentId: z.string() }),
  query: none,
  body: none,
  responses: { 200: z.strictObject({ deposits: z.array(depositSchema) }) },
  errors: [404],
  handle: async ({ params }, { services }) => {
    const deposits = await services.administration.deposits(params.paymentId);
    return answer(200, { deposits: deposits.map(depositView) });
  },
});
