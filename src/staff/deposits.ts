import { z } from 'zod';
import { depositsOf, heldDeposits, sendDeposit as send } from '../billing/administration/deposits.ts';
import { answer } from '../http/endpoint.ts';
import { page, pageOf, text } from '../http/input/fields.ts';
import { pageEcho, pageView } from '../http/schemas.ts';
import { requireRole } from './access/admit.ts';
import { orderOf, reason, staffEndpoint } from './endpoint.ts';
import { depositView } from './views.ts';
import { depositSchema } from './wire.ts';

export const listHeldDeposits = staffEndpoint({
  summary:
    'List the money at deposit addresses that is not sent back automatically; `limit` and `start` count payments, and `startingAfter` names one',
  query: z.object(page),
  responses: { 200: z.strictObject({ deposits: z.array(depositSchema), ...pageEcho }) },
  handle: async ({ query }, deps) => {
    const page = pageOf(query);
    const found = await heldDeposits(deps, page);
    return answer(200, { deposits: found.items.map(depositView), ...pageView(page, found) });
  },
});

export const listDeposits = staffEndpoint({
  summary: 'List all arrivals at the deposit address of a payment, and their fate',
  params: z.object({ paymentId: z.string() }),
  responses: { 200: z.strictObject({ deposits: z.array(depositSchema) }) },
  errors: [404],
  handle: async ({ params }, deps) => {
    const deposits = await depositsOf(deps, params.paymentId);
    return answer(200, { deposits: deposits.map(depositView) });
  },
});

export const sendDeposit = staffEndpoint({
  summary: 'Send the held rest of a deposit to the refund wallet of its payment, or with the role admin to any address',
  params: z.object({ depositId: z.string() }),
  body: z.object({ to: text(100).nullish(), reason }),
  responses: { 200: depositSchema },
  errors: [404, 409],
  handle: async (call, deps) => {
    const to = call.body.to ?? null;
    if (to !== null) requireRole(call.caller, 'admin', 'An address of your own choice');
    return answer(200, depositView(await send(deps, call.params.depositId, to, orderOf(call))));
  },
});
