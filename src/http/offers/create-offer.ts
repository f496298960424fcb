import { z } from 'zod';
import type { CreateOffer } from '../../billing/offers/offers.ts';
import { requestHash } from '../../billing/request-hash.ts';
import { createdAnswer } from '../created.ts';
import { endpoint, none } from '../endpoint.ts';
import { optionalKey, text } from '../input/fields.ts';
import { exampleOffer, monthlyRequest } from '../openapi/examples/offer.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import { presentation, pricingInput, pricingList, splitFields } from './fields.ts';

const body = z.object({
  name: text(200).describe('What is sold.'),
  pricing: pricingList.describe('The pricing options of the offer.'),
  ...presentation,
  ...splitFields,
  idempotencyKey: optionalKey,
});

export const createOffer = endpoint({
  summary: 'Create an offer together with its pricing options',
  id: 'createOffer',
  description:
    'Creates the offer, its options and its checkout URL in one call. A price in US dollars or a dollar stablecoin costs its dollars one to one, without an exchange rate; any other price is frozen in tokens at once with an exchange rate no older than ten minutes, rounded up, and never changes again.',
  params: none,
  query: none,
  body,
  responses: { 201: offerSchema, 200: offerSchema },
  errors: [409, 503],
  notes: {
    201: 'Created.',
    400: 'Not valid: an unknown or repeated token, splits of the wrong chain family, a price below 1.00 USD or its equivalent, and what else is said of the fields.',
    409: 'Another offer has this `identifier`.',
  },
  messages: {
    400: 'pricing[0].acceptedTokens[1] repeats "usdc-base"',
    409: 'An offer with the identifier "pro-plan" already exists',
  },
  example: {
    body: {
      name: 'Pro plan',
      description: 'Everything in Basic, and priority support.',
      imageUrl: 'https://shop.example/pro.png',
      identifier: 'pro-plan',
      productRef: 'sku-1042',
      pricing: [monthlyRequest],
      availableQuantity: 500,
      afterCompletion: { redirect: 'https://shop.example/thanks' },
      features: [{ title: 'Priority support' }],
      metadata: { team: 'growth' },
      idempotencyKey: 'offer-pro-plan-1',
    },
    answer: { status: 201, body: exampleOffer },
  },
  handle: async (call, { services, config }) => {
    const created = await services.offers.create(call.caller, createInput(call.body));
    return createdAnswer(created, (offer) => offerView(offer, config.publicUrl));
  },
});

function createInput(fields: z.output<typeof body>): CreateOffer {
  return {
    name: fields.name,
    description: fields.description ?? null,
    imageUrl: fields.imageUrl ?? null,
    identifier: fields.identifier ?? null,
    productRef: fields.productRef ?? null,
    pricing: fields.pricing.map(pricingInput),
    active: fields.active ?? true,
    availableQuantity: fields.availableQuantity ?? null,
    expiresAt: fields.expiresAt ?? null,
    afterCompletion: fields.afterCompletion ?? {},
    features: fields.features ?? [],
    collectFields: fields.collectFields ?? {},
    allowedPaymentMethods: fields.allowedPaymentMethods ?? {},
    metadata: fields.metadata ?? {},
    reference: fields.reference ?? null,
    splitEvm: fields.splitEvm ?? null,
    splitSolana: fields.splitSolana ?? null,
    idempotencyKey: fields.idempotencyKey ?? null,
    requestHash: requestHash(fields),
  };
}
