import { z } from 'zod';
import { FEE_BPS_MAX } from '../billing/fees.ts';
import { invalid } from '../errors/fault.ts';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { fixed, integer } from '../http/input/fields.ts';
import { ofMerchant, reason } from './fields.ts';
import { merchantSchema, merchantView } from './views.ts';

const LIMIT_FACTOR_MAX = 10_000;

export const updateMerchant = staffEndpoint({
  summary: "Set a merchant's limits or fee",
  params: ofMerchant,
  query: none,
  body: z.object({
    limitFactor: integer(1, LIMIT_FACTOR_MAX).optional(),
    feeBps: integer(0, FEE_BPS_MAX).optional(),
    reason,
    id: fixed,
    name: fixed,
    status: fixed,
    keys: fixed,
    webhooks: fixed,
    wallets: fixed,
    createdAt: fixed,
    updatedAt: fixed,
  }),
  responses: { 200: merchantSchema },
  errors: [404],
  handle: async ({ params, body, caller }, { services }) => {
    const { limitFactor, feeBps } = body;
    if (limitFactor === undefined && feeBps === undefined) {
      throw invalid('body must have a field to update: limitFactor or feeBps');
    }
    const settings = {
      ...(limitFactor === undefined ? {} : { limitFactor }),
      ...(feeBps === undefined ? {} : { feeBps }),
    };
    const order = { by: caller.by, reason: body.reason };
    return answer(200, merchantView(await services.administration.set(params.merchantId, settings, order)));
  },
});
