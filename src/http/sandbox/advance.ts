import { z } from 'zod';
import type { AdvanceInput, AdvanceResult } from '../../billing/services.ts';
import { invalid } from '../../fault.ts';
import { answer, endpoint, none } from '../endpoint.ts';
import { integer, text, timestamp } from '../input/fields.ts';
import { moment, momentOrNull } from '../views/shared.ts';

const body = z.object({
  subscriptionId: text(100),
  to: timestamp.nullish(),
  days: integer(1, 800).nullish(),
  status: z.enum(['active', 'past_due', 'canceled']).nullish(),
});

const resultSchema = z.strictObject({
  subscriptionId: z.string(),
  now: moment,
  complete: z.boolean(),
  steps: z.array(
    z.strictObject({ at: moment, event: z.string(), from: z.string(), to: z.string(), outcome: z.string().optional() }),
  ),
  status: z.enum(['pending', 'active', 'past_due', 'canceled']),
  currentPeriodEnd: moment.nullable(),
});

export const sandboxAdvance = endpoint({
  summary: "Move a subscription's clock forward, billing what falls due on the way",
  params: none,
  query: none,
  body,
  responses: { 200: resultSchema },
  errors: [404, 409],
  handle: async (call, { services }) => {
    const result = await services.sandbox.advance(call.caller, advanceInput(call.body));
    return answer(200, resultView(result));
  },
});

function advanceInput({ subscriptionId, to = null, days = null, status = null }: z.output<typeof body>): AdvanceInput {
  const given = [to, days, status].filter((value) => value !== null);
  if (given.length > 1) throw invalid('body must have at most one of to, days and status');
  return { subscriptionId, to, days, status };
}

function resultView(result: AdvanceResult): z.output<typeof resultSchema> {
  return {
    subscriptionId: result.subscriptionId,
    now: result.now.toISOString(),
    complete: result.complete,
    steps: result.steps.map(({ at, event, from, to, outcome }) => ({
      at: at.toISOString(),
      event,
      from,
      to,
      ...(outcome === null ? {} : { outcome }),
    })),
    status: result.status,
    currentPeriodEnd: momentOrNull(result.currentPeriodEnd),
  };
}
