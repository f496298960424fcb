import { z } from 'zod';
import { answer, endpoint } from '../../http/endpoint.ts';
import { text } from '../../http/input/fields.ts';
import { chargeNow } from '../../sandbox/charge.ts';
import { IDS } from '../openapi/examples/ids.ts';

/** `paymentId` and `reason` are absent when null (docs/rules.md, "Sandbox"). */
const outcomeSchema = z.strictObject({
  outcome: z
    .enum(['settled', 'failed', 'pending', 'skipped', 'canceled'])
    .describe(
      '`pending`: unknown after 25 seconds; `skipped`: no attempt was made; `canceled`: a limit has ended the subscription.',
    ),
  paymentId: z.string().optional().describe('The payment of the cycle; absent when there is none.'),
  reason: z
    .string()
    .optional()
    .describe(
      'Why it failed or was skipped (`not_authorized`, `in_flight`, `no_payout_wallet`, `not_enabled`, `sold_out`, `nothing_to_charge`, `window_cap`, `paused`); absent otherwise.',
    ),
});

export const sandboxCharge = endpoint({
  summary: "Run one of a subscription's billing cycles now",
  id: 'sandboxCharge',
  description:
    'Does the work of the billing job, due or not: it charges the next period ahead, and ends a trial. Answers when the outcome is known.',
  body: z.object({ subscriptionId: text(100).describe('The subscription to charge.') }),
  responses: { 200: outcomeSchema },
  errors: [404, 409],
  notes: {
    409: 'The subscription is canceled, or already paid until after `9000-01-01T00:00:00.000Z`.',
  },
  messages: {
    400: 'subscriptionId is required',
    409: 'Subscription is canceled; charge needs pending, active or past_due',
  },
  example: {
    body: { subscriptionId: IDS.subscription },
    answer: { status: 200, body: { outcome: 'settled', paymentId: `pay_${IDS.cycle}` } },
  },
  handle: async ({ body, caller }, deps) => {
    const { outcome, paymentId, reason } = await chargeNow(deps, caller, body.subscriptionId);
    const more = { ...(paymentId === null ? {} : { paymentId }), ...(reason === null ? {} : { reason }) };
    return answer(200, { outcome, ...more });
  },
});
