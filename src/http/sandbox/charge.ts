import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { text } from '../input/fields.ts';

/** `paymentId` and `reason` are absent where there is none (decisions, "Sandbox"). */
const outcomeSchema = z.strictObject({
  outcome: z.enum(['settled', 'failed', 'pending', 'skipped', 'canceled']),
  paymentId: z.string().optional(),
  reason: z.string().optional(),
});

export const sandboxCharge = endpoint({
  summary: "Run one of a subscription's billing cycles now",
  params: none,
  query: none,
  body: z.object({ subscriptionId: text(100) }),
  responses: { 200: outcomeSchema },
  errors: [404, 409],
  handle: async ({ body, caller }, { services }) => {
    const { outcome, paymentId, reason } = await services.sandbox.charge(caller, body.subscriptionId);
    const more = { ...(paymentId === null ? {} : { paymentId }), ...(reason === null ? {} : { reason }) };
    return answer(200, { outcome, ...more });
  },
});
