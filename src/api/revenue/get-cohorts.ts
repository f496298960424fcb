import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { cohortsOf } from '../../billing/revenue/revenue.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { computedAmount } from '../../http/schemas.ts';

const part = {
  subscriptions: z.int().describe('The number of subscriptions.'),
  monthlyAmount: computedAmount.describe('What their present prices make in a month, in token units, as in the MRR.'),
};

const cohortSchema = z.strictObject({
  start: moment.describe('The start of the month, in UTC, in which the subscriptions were created.'),
  tokenKey: z.string().describe('The token of the amounts.'),
  started: z.strictObject(part).describe('Those with a `currentPeriodEnd`: they had a trial or a paid period.'),
  active: z
    .array(z.strictObject(part))
    .describe(
      'Those of them that had not ended by the end of each month: first that of `start`, last the present month, which is as of now.',
    ),
});

export const getCohorts = endpoint({
  summary: 'Get the retention of subscriptions by the month in which they began',
  id: 'getCohorts',
  description:
    'The last twelve months with the present one, by token; months without a new subscription are left out. ' +
    'A figure that counts 10,000 subscriptions or more is up to 0.2 ms old for each of them.',
  query: z.object({ offerId: z.string().optional().describe('Only this offer.') }),
  responses: { 200: z.strictObject({ cohorts: z.array(cohortSchema).describe('The oldest first.') }) },
  example: {
    query: {},
    answer: {
      status: 200,
      body: {
        cohorts: [
          {
            start: '2030-01-01T00:00:00.000Z',
            tokenKey: 'usdc-base',
            started: { subscriptions: 2, monthlyAmount: '19.80' },
            active: [
              { subscriptions: 2, monthlyAmount: '19.80' },
              { subscriptions: 1, monthlyAmount: '9.90' },
            ],
          },
        ],
      },
    },
  },
  handle: async ({ query: { offerId = null }, caller, now }, deps) => {
    const cohorts = await cohortsOf(deps, caller, { now, offerId });
    const shown = cohorts.map(({ start, active, ...rest }) => ({
      ...{ start: start.toISOString(), ...rest },
      active: [...active],
    }));
    return answer(200, { cohorts: shown });
  },
});
