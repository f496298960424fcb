import { z } from 'zod';
import { requestHash } from '../../billing/request-hash.ts';
import type { CreateSubscription } from '../../billing/services.ts';
import { invalid } from '../../fault.ts';
import { createdAnswer } from '../created.ts';
import { endpoint, none } from '../endpoint.ts';
import { affiliateFields, affiliateOf } from '../input/affiliate.ts';
import { idempotencyKey, text } from '../input/fields.ts';
import { subscriptionSchema, subscriptionView } from '../views/subscription.ts';
import { customVariables } from './fields.ts';

const body = z.object({
  priceId: text(100).nullish(),
  offerPriceId: text(100).nullish(),
  customerId: text(100),
  offerId: text(100).nullish(),
  tokenKey: text(100).nullish(),
  customVariables: customVariables.nullish(),
  ...affiliateFields,
  idempotencyKey: idempotencyKey.nullish(),
});

export const createSubscription = endpoint({
  summary: "Subscribe a customer to an offer's recurring pricing option",
  params: none,
  query: none,
  body,
  responses: { 201: subscriptionSchema, 200: subscriptionSchema },
  errors: [404],
  handle: async (call, { services }) => {
    const created = await services.subscriptions.create(call.caller, createInput(call.body));
    return createdAnswer(created, subscriptionView);
  },
});

function createInput(fields: z.output<typeof body>): CreateSubscription {
  return {
    priceId: priceIdOf(fields),
    customerId: fields.customerId,
    offerId: fields.offerId ?? null,
    tokenKey: fields.tokenKey ?? null,
    customVariables: fields.customVariables ?? {},
    affiliate: affiliateOf(fields),
    idempotencyKey: fields.idempotencyKey ?? null,
    requestHash: requestHash(fields),
  };
}

/** `offerPriceId` is an alias of `priceId` (decisions, "Subscriptions"). */
function priceIdOf({ priceId, offerPriceId }: z.output<typeof body>): string {
  const id = priceId ?? offerPriceId ?? null;
  if (id === null) throw invalid('priceId is required');
  if (offerPriceId !== undefined && offerPriceId !== null && offerPriceId !== id) {
    throw invalid('offerPriceId must be the same as priceId, whose alias it is');
  }
  return id;
}
