import { z } from 'zod';
import { deleteOffer as remove, updateOffer as update } from '../../billing/offers/offer-changes.ts';
import { getOffer as findOffer, listOffers as findOffers } from '../../billing/offers/offers.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { created, flag, metadataSought, page, pageOf } from '../../http/input/fields.ts';
import { deletedSchema, deletedView, pageEcho, pageView } from '../../http/schemas.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { exampleOffer } from '../openapi/examples/offer.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import { offerParams } from './fields.ts';
import { updateBody, updateInput } from './update-fields.ts';

export const listOffers = endpoint({
  summary: 'List offers, newest first',
  id: 'listOffers',
  description: 'Deleted offers are not listed.',
  query: z.object({
    active: flag.optional().describe('Only active or only inactive offers; default: both.'),
    identifier: z.string().optional().describe('Only the offer with this identifier.'),
    metadata: metadataSought,
    created,
    ...page,
  }),
  responses: { 200: z.strictObject({ offers: z.array(offerSchema).describe('One page, newest first.'), ...pageEcho }) },
  csv: { list: 'offers', columns: Object.keys(offerSchema.shape) },
  example: {
    query: { active: 'true', limit: '20', start: '0' },
    answer: { status: 200, body: { offers: [exampleOffer], limit: 20, start: 0, hasMore: false } },
  },
  handle: async ({ query, caller }, deps) => {
    const page = pageOf(query);
    const found = await findOffers(deps, caller, { ...query, ...page });
    const offers = found.items.map((offer) => offerView(offer, deps.config.publicUrl));
    return answer(200, { offers, ...pageView(page, found) });
  },
});

export const getOffer = endpoint({
  summary: 'Read an offer',
  id: 'getOffer',
  params: offerParams,
  responses: { 200: offerSchema },
  errors: [404],
  example: { params: { offerId: IDS.offer }, answer: { status: 200, body: exampleOffer } },
  handle: async ({ params, caller }, deps) => {
    const offer = await findOffer(deps, caller, params.offerId);
    return answer(200, offerView(offer, deps.config.publicUrl));
  },
});

export const updateOffer = endpoint({
  summary: 'Update an offer; its pricing options are immutable',
  id: 'updateOffer',
  description:
    'A field that is left out does not change; `null` clears an optional field. Pricing options are immutable: add one and retire the other.',
  params: offerParams,
  body: updateBody,
  responses: { 200: offerSchema },
  errors: [404, 409],
  notes: {
    400: 'Not valid, a field that cannot be updated (such as `pricing`), or nothing to update.',
    409: 'Another offer has this `identifier`.',
  },
  messages: { 400: 'pricing cannot be updated', 409: 'An offer with the identifier "pro-plan" already exists' },
  example: {
    params: { offerId: IDS.offer },
    body: { active: false },
    answer: { status: 200, body: { ...exampleOffer, active: false } },
  },
  handle: async ({ params, body, caller }, deps) => {
    const offer = await update(deps, caller, params.offerId, updateInput(body));
    return answer(200, offerView(offer, deps.config.publicUrl));
  },
});

export const deleteOffer = endpoint({
  summary: 'Delete an offer without live subscriptions, for good',
  id: 'deleteOffer',
  description:
    'The offer is gone for good, and its `identifier` is free again. To stop sales while subscriptions continue, set `active` to `false` instead.',
  params: offerParams,
  responses: { 200: deletedSchema },
  errors: [404, 409],
  notes: {
    409: 'It has a live subscription (pending, active or past due): deactivate it instead.',
  },
  messages: { 409: 'Offer has live subscriptions; deactivate it instead' },
  example: { params: { offerId: IDS.offer }, answer: { status: 200, body: { id: IDS.offer, deleted: true } } },
  handle: async ({ params, caller }, deps) => {
    const offer = await remove(deps, caller, params.offerId);
    return answer(200, deletedView(offer._id));
  },
});
