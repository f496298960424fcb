import { z } from 'zod';
import type { CreateOffer } from '../../billing/offers.ts';
import { requestHash } from '../../billing/request-hash.ts';
import { createdAnswer } from '../created.ts';
import { endpoint, none } from '../endpoint.ts';
import { idempotencyKey, text } from '../input/fields.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import { presentation, pricingInput, pricingList, splitFields } from './fields.ts';

const body = z.object({
  name: text(200),
  pricing: pricingList,
  ...presentation,
  ...splitFields,
  idempotencyKey: idempotencyKey.nullish(),
});

export const createOffer = endpoint({
  summary: 'Create an offer together with its pricing options',
  params: none,
  query: none,
  body,
  responses: { 201: offerSchema, 200: offerSchema },
  errors: [409, 503],
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
