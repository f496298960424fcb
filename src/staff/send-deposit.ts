import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { text } from '../http/input/fields.ts';
import { reason } from './fields.ts';
import { depositSchema, depositView } from './views.ts';

export const sendDeposit = staffEndpoint({
  summary: 'Send what is held of a deposit: to an address, or to the refund wallet that its payment names',
  params: z.object({ depositId: z.string() }),
  query: none,
  body: z.object({ to: text(100).nullish(), reason }),
  responses: { 200: depositSchema },
  errors: [404, 409],
  handle: async ({ params, body, caller }, { services }) => {
    const order = { by: caller.by, reason: body.reason };
    return answer(
      200,
      depositView(await services.administration.sendDeposit(params.depositId, body.to ?? null, order)),
    );
  },
});
