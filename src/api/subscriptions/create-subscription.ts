import { z } from 'zod';
import type { CreateSubscription } from '../../billing/subscriptions/opening.ts';
import { createSubscription as subscribe } from '../../billing/subscriptions/subscriptions.ts';
import { invalid } from '../../errors/fault.ts';
import { createdAnswer, endpoint } from '../../http/endpoint.ts';
import { customVariables, optionalKey, quantityField, text } from '../../http/input/fields.ts';
import { orNull } from '../../model/pick.ts';
import { requestHash, sameAffiliate } from '../../model/request-hash.ts';
import { affiliateFields, affiliateOf } from '../affiliate.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { newSubscription } from '../openapi/examples/subscription.ts';
import { createdSubscriptionView, subscriptionSchema } from '../views/subscription.ts';

const body = z.object({
  priceId: text(100)
    .nullish()
    .describe('The pricing option: recurring and active, of an open offer. Required, under this name or the next.'),
  offerPriceId: text(100).nullish().describe('Another name for `priceId`; if both are sent, they must be the same.'),
  customerId: text(100).describe('The subscriber. The wallet may follow later, with the authorization.'),
  offerId: text(100).nullish().describe('If sent, it must be the offer of the pricing option.'),
  tokenKey: text(100).nullish().describe('One of the accepted tokens of the option. Required if it accepts several.'),
  quantity: quantityField
    .nullish()
    .describe('For a price per unit: from its `minQuantity` to its `maxQuantity`. Default: `minQuantity`.'),
  couponId: text(100)
    .nullish()
    .describe('A coupon, which lowers its first charges; it counts as redeemed until the subscription ends unpaid.'),
  customVariables: customVariables.nullish().describe("The merchant's own data: at most 50 keys and 8 KB of JSON."),
  ...affiliateFields,
  idempotencyKey: optionalKey,
});

export const createSubscription = endpoint({
  summary: "Subscribe a customer to an offer's recurring pricing option",
  id: 'createSubscription',
  description:
    'The subscription is `pending` until the first charge settles. That charge is made as soon as the payer has authorized it on chain: at `authorizationUrl`, or by any approval of the operator from the wallet of the customer. Emits `subscription.created`.',
  body,
  responses: { 201: subscriptionSchema, 200: subscriptionSchema },
  errors: [404],
  notes: {
    400: 'Not valid: a one-time or retired option, an inactive, expired or sold out offer, no `tokenKey` although the option accepts several, or a coupon that is over, used up or not for this.',
    404: 'The pricing option does not exist or belongs to another offer, or the customer does not exist.',
  },
  messages: { 400: 'priceId is a one-time pricing option; expected a recurring one' },
  example: {
    body: {
      priceId: IDS.monthly,
      customerId: IDS.customer,
      customVariables: { seats: 3 },
      idempotencyKey: 'e4d3b6a8-1f2c-4c59-b1a7-9d8c2e6f5a34',
    },
    answer: { status: 201, body: newSubscription },
  },
  handle: async (call, deps) => {
    const created = await subscribe(deps, call.caller, createInput(call.body));
    return createdAnswer(created, (subscription) => createdSubscriptionView(subscription, deps));
  },
});

function createInput(fields: z.output<typeof body>): CreateSubscription {
  const input = {
    priceId: priceIdOf(fields),
    customerId: fields.customerId,
    ...orNull(fields, 'offerId', 'tokenKey', 'quantity', 'couponId', 'idempotencyKey'),
    customVariables: fields.customVariables ?? {},
    affiliate: affiliateOf(fields),
  };
  // Absent if none was named, so that the hashes of stored requests stay the same.
  const varied = { quantity: fields.quantity ?? undefined, couponId: fields.couponId ?? undefined };
  const meaning = { ...input, ...varied, affiliate: sameAffiliate(input.affiliate) };
  return { ...input, requestHash: requestHash(meaning) };
}

/** `offerPriceId` is an alias of `priceId` (docs/rules.md, "Subscriptions"). */
function priceIdOf({ priceId, offerPriceId }: z.output<typeof body>): string {
  const id = priceId ?? offerPriceId ?? null;
  if (id === null) throw invalid('priceId is required');
  if (offerPriceId !== undefined && offerPriceId !== null && offerPriceId !== id) {
    throw invalid('offerPriceId must be the same as priceId, whose alias it is');
  }
  return id;
}
