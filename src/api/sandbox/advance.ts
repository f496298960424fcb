import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { invalid } from '../../errors/fault.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { integer, text, timestamp } from '../../http/input/fields.ts';
import { subscriptionStatus } from '../../http/schemas.ts';
import { type AdvanceInput, advanceTo } from '../../sandbox/advance.ts';
import { IDS, MOMENTS } from '../openapi/examples/ids.ts';

const body = z.object({
  subscriptionId: text(100).describe('The subscription whose clock moves.'),
  to: timestamp
    .nullish()
    .describe(
      'Move to this moment, which must not be in the past of that clock. Clocks end at `9000-01-01T00:00:00.000Z`.',
    ),
  days: integer(1, 800).nullish().describe('Move by this many days.'),
  status: z.enum(['active', 'past_due', 'canceled']).nullish().describe('Move until the subscription has this status.'),
});

export const advanceResultSchema = z.strictObject({
  subscriptionId: z.string().describe('The subscription.'),
  now: moment.describe('The present time of its clock.'),
  complete: z.boolean().describe('`false` when 60 steps or 25 seconds were not enough: call again.'),
  steps: z
    .array(
      z.strictObject({
        at: moment.describe('The moment, by its clock.'),
        event: z.string().describe('The event that was due.'),
        from: z.string().describe('The status before.'),
        to: z.string().describe('The status after.'),
        outcome: z.string().optional().describe('The outcome of the attempt; absent without one.'),
      }),
    )
    .describe('The steps: every due moment that made an attempt or changed the status.'),
  status: subscriptionStatus.describe('The present status.'),
  currentPeriodEnd: moment.nullable().describe('The end of the paid period; `null` before the first charge.'),
});

export const sandboxAdvance = endpoint({
  summary: "Move a subscription's clock forward and bill all charges that fall due",
  id: 'sandboxAdvance',
  description:
    'Each sandbox subscription has its own clock, which only moves forward: to its next due moment, or as far as `to`, `days` or `status` demands. All charges that fall due are made, as they would be in real time. Ids, `createdAt`, events, charges and limits keep real time.',
  body,
  responses: { 200: advanceResultSchema },
  errors: [404, 409],
  notes: {
    400: 'Not valid, more than one of `to`, `days` and `status`, or a time in the past or after the end of all clocks.',
    409: 'The subscription is canceled, or `status` `active` cannot be reached without an allowance on chain, or the next due moment is after the end of all clocks.',
  },
  messages: {
    400: 'body must have at most one of to, days and status',
    409: 'Subscription is canceled; advance needs pending, active or past_due',
  },
  example: {
    body: { subscriptionId: IDS.subscription, days: 31 },
    answer: {
      status: 200,
      body: {
        subscriptionId: IDS.subscription,
        now: '2026-02-15T09:31:20.004Z',
        complete: true,
        steps: [{ at: MOMENTS.periodEnd, event: 'cycle.due', from: 'active', to: 'active', outcome: 'settled' }],
        status: 'active',
        currentPeriodEnd: '2026-03-15T09:31:12.480Z',
      },
    },
  },
  handle: async ({ body, caller }, deps) => answer(200, await advanceTo(deps, caller, advanceInput(body))),
});

function advanceInput({ subscriptionId, to = null, days = null, status = null }: z.output<typeof body>): AdvanceInput {
  const given = [to, days, status].filter((value) => value !== null);
  if (given.length > 1) throw invalid('body must have at most one of to, days and status');
  return { subscriptionId, to, days, status };
}
