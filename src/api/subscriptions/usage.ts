import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { RECORD_MAX } from '../../../machines/rules/usage.ts';
import { type NewUsage, RECORDS_MAX, recordUsage as record, usageSoFar } from '../../billing/subscriptions/usage.ts';
import { invalid } from '../../errors/fault.ts';
import { answer, createdAnswer, endpoint } from '../../http/endpoint.ts';
import { idempotencyKey, integer, timestamp } from '../../http/input/fields.ts';
import { inTokens, usageView } from '../../http/metered.ts';
import { idSchema, usageSchema } from '../../http/schemas.ts';
import { IDS, MOMENTS, TOKEN } from '../openapi/examples/ids.ts';
import { subscriptionParams } from './subscriptions.ts';

const recordInput = z.object({
  quantity: integer(1, RECORD_MAX).describe('The units that were used.'),
  at: timestamp
    .nullish()
    .describe("When they were used, by the subscription's clock; default: now. At most 5 minutes ahead of it."),
  idempotencyKey: idempotencyKey.describe(
    'Counts once among the usage of this subscription: for ever, or until it is archived after 30 days or more.',
  ),
});

const usageRecordSchema = z.strictObject({
  quantity: z.int().describe('The units that were counted.'),
  at: moment.describe('When they were used.'),
  idempotencyKey: z.string().describe('Their key.'),
});

const recordedSchema = z.strictObject({
  subscriptionId: idSchema('sub_').describe('The subscription.'),
  records: z.array(usageRecordSchema).describe('In the order of the request.'),
  unchargedAmount: usageSchema.shape.unchargedAmount,
});

const body = z.object({
  quantity: recordInput.shape.quantity.nullish(),
  at: recordInput.shape.at,
  idempotencyKey: recordInput.shape.idempotencyKey.nullish(),
  records: z
    .array(recordInput)
    .min(1, 'must have at least one record')
    .max(RECORDS_MAX, `must have at most ${RECORDS_MAX} records`)
    .nullish()
    .describe('In place of the other fields: several records, each with its own key.'),
});

export const recordUsage = endpoint({
  summary: 'Count units that a subscription has used',
  description:
    'For a metered price. Send one record, or up to 100 as `records`, which are counted together or not at all. ' +
    'Each cycle, when it opens, charges the records accepted since the last one opened, whatever their `at`: the next cycle charges late records. ' +
    'With `thresholdAmount`, a cycle opens also as soon as the use costs so much: at most every ten minutes, and not above `windowCapAmount`. ' +
    'Less than 1.00 USD waits for the next cycle. `unchargedAmount` is what nobody would pay if the subscription ended now. ' +
    'When the use of a period reaches 80 and 100 percent of `capAmount`, `subscription.usage_threshold` is sent (opt-in).',
  id: 'recordUsage',
  params: subscriptionParams,
  body,
  responses: { 200: recordedSchema, 201: recordedSchema },
  errors: [404, 409],
  notes: {
    200: 'All keys were used before: the records as they were counted then. Nothing is counted again.',
    400: 'Not valid: no units, a key that comes twice, or a moment that is in the future or before the subscription began.',
    409: 'The price is not metered, the subscription has ended or its last cycle was charged, or `aboveCap` refuses use above the cap.',
  },
  messages: {
    400: 'quantity must be an integer between 1 and 1000000000000',
    409: 'Subscription is canceled; usage needs pending, active or past_due',
  },
  example: {
    params: { subscriptionId: IDS.subscription },
    body: { quantity: 120, idempotencyKey: 'run-2026-01-15-0931' },
    answer: {
      status: 201,
      body: {
        subscriptionId: IDS.subscription,
        records: [{ quantity: 120, at: MOMENTS.settled, idempotencyKey: 'run-2026-01-15-0931' }],
        unchargedAmount: '0.00',
      },
    },
  },
  handle: async ({ params: { subscriptionId }, body, caller }, deps) => {
    const counted = await record(deps, caller, subscriptionId, recordsIn(body));
    return createdAnswer(counted, ({ records, tokenKey, uncharged }) => ({
      subscriptionId,
      records: records.map(({ key, quantity, at }) => ({ quantity, at, idempotencyKey: key })),
      unchargedAmount: inTokens(uncharged, tokenKey, deps.catalog),
    }));
  },
});

function recordsIn({
  records = null,
  quantity = null,
  at = null,
  idempotencyKey = null,
}: z.output<typeof body>): NewUsage[] {
  if (records === null) {
    if (quantity === null) throw invalid('quantity is required');
    if (idempotencyKey === null) throw invalid('idempotencyKey is required');
    return [newUsage({ quantity, at, idempotencyKey })];
  }
  if (quantity !== null || at !== null || idempotencyKey !== null)
    throw invalid('records takes the place of quantity, at and idempotencyKey; send one or the other');
  const keys = records.map((each) => each.idempotencyKey);
  const twice = keys.findIndex((each, index) => keys.indexOf(each) !== index);
  if (twice >= 0) throw invalid(`records[${twice}].idempotencyKey repeats ${JSON.stringify(keys[twice])}`);
  return records.map(newUsage);
}

function newUsage({ idempotencyKey: key, quantity, at }: z.output<typeof recordInput>): NewUsage {
  return { key, quantity, at: at?.toISOString() ?? null };
}

const exampleUsage: z.output<typeof usageSchema> = {
  subscriptionId: IDS.subscription,
  tokenKey: TOKEN.tokenKey,
  from: MOMENTS.settled,
  to: MOMENTS.periodEnd,
  units: 4_200,
  amount: '42.00',
  carriedAmount: '0.00',
  capAmount: '50.00',
  chargeAmount: '42.00',
  unchargedAmount: '0.00',
  level: 84,
  unitsLeft: 800,
  thresholdAmount: null,
  waitsUntil: null,
};

export const getUsage = endpoint({
  summary: 'Read what a subscription has used in its present period, and what that costs',
  description: 'For a metered price. Amounts are in units of the token.',
  id: 'getUsage',
  params: subscriptionParams,
  responses: { 200: usageSchema },
  errors: [404, 409],
  notes: { 409: 'The price of the subscription is not metered.' },
  messages: { 409: 'usage is for a metered price, and the price of this subscription is not' },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: exampleUsage } },
  handle: async ({ params, caller }, deps) =>
    answer(200, usageView(await usageSoFar(deps, caller, params.subscriptionId), deps.catalog)),
});
