import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { revenueOf } from '../../billing/revenue/revenue.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { created } from '../../http/input/fields.ts';
import { computedAmount } from '../../http/schemas.ts';
import { IDS } from '../openapi/examples/ids.ts';

const DAY_MS = 86_400_000;

/** How long before the present day the range begins where the query names no start. */
const DEFAULT_DAYS = { day: 30, month: 365 } as const;

const group = {
  offerId: z.string().nullable().describe('The offer; `null` for direct charges.'),
  tokenKey: z.string().describe('The token of the amounts.'),
};

const total = z.strictObject({
  count: z.int().describe('The number of payments.'),
  amount: computedAmount.describe('The sum of their `amount`, in token units.'),
});

const periodSchema = z.strictObject({
  start: moment.describe('The start of the day or month, in UTC.'),
  ...group,
  settled: total.describe('Payments with the status `settled`, by `createdAt`.'),
  recovered: total.describe('Those of them with more than one of `attempts`.'),
  failed: total.describe('Payments with the status `failed`, by `createdAt`.'),
  refunded: total.describe(
    'The settled payments that have refunds, and the sum of their `refundedAmount`. Subtract it from `settled` to get the net.',
  ),
  newSubscriptions: z.int().describe('Subscriptions with a `currentPeriodEnd`, by `createdAt`.'),
  endedSubscriptions: z.int().describe('Those with a `currentPeriodEnd` that were canceled, by the time of that.'),
});

const recurringSchema = z.strictObject({
  ...group,
  subscriptions: z.int().describe('Those with the status `active` or `past_due`, now.'),
  monthlyAmount: computedAmount.describe(
    'What they are charged in a month, in token units (MRR). A year counts as twelve months and as 365 days.',
  ),
});

export const getRevenue = endpoint({
  summary: 'Get the revenue by day or month, offer and token',
  id: 'getRevenue',
  description:
    'Monthly recurring revenue as of now, and what happened in each period: settled, recovered, failed and refunded payments, new and ended ' +
    'subscriptions. The figures are those of the lists. Periods in which nothing happened are left out. ' +
    'Without a start in `created`: today (UTC) and the 30 days before, or 365 days by month. ' +
    'A figure that counts 10,000 documents or more is up to 0.2 ms old for each of them.',
  query: z.object({
    interval: z.enum(['day', 'month']).default('day').describe('The length of a period.'),
    offerId: z.string().optional().describe('Only this offer.'),
    created,
  }),
  responses: {
    200: z.strictObject({
      offers: z
        .array(
          z.strictObject({ id: z.string().describe('The offer.'), name: z.string().describe('Its present name.') }),
        )
        .describe('The offers of all figures, also deleted ones.'),
      recurring: z.array(recurringSchema).describe('As of now, whatever the range.'),
      periods: z.array(periodSchema).describe('The oldest first.'),
    }),
  },
  example: {
    query: { interval: 'month' },
    answer: {
      status: 200,
      body: {
        offers: [{ id: IDS.offer, name: 'Pro' }],
        recurring: [{ offerId: IDS.offer, tokenKey: 'usdc-base', subscriptions: 2, monthlyAmount: '19.80' }],
        periods: [
          {
            start: '2030-01-01T00:00:00.000Z',
            offerId: IDS.offer,
            tokenKey: 'usdc-base',
            settled: { count: 2, amount: '19.80' },
            recovered: { count: 1, amount: '9.90' },
            failed: { count: 0, amount: '0.00' },
            refunded: { count: 0, amount: '0.00' },
            newSubscriptions: 2,
            endedSubscriptions: 0,
          },
        ],
      },
    },
  },
  handle: async ({ query, caller, now }, deps) => {
    const { interval, offerId = null } = query;
    const today = now.getTime() - (now.getTime() % DAY_MS);
    const gte = new Date(today - DEFAULT_DAYS[interval] * DAY_MS);
    const hasStart = query.created?.gte !== undefined || query.created?.gt !== undefined;
    const range = { ...(hasStart ? {} : { gte }), ...query.created };
    const { offers, recurring, periods } = await revenueOf(deps, caller, { unit: interval, offerId, created: range });
    const shown = periods.map((period) => ({ ...period, start: period.start.toISOString() }));
    return answer(200, { offers: [...offers], recurring: [...recurring], periods: shown });
  },
});
