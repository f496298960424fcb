import { z } from 'zod';
import { deleteOffer as remove, updateOffer as update } from '../../billing/offers/offer-changes.ts';
import { getOffer as findOffer, listOffers as findOffers } from '../../billing/offers/offers.ts';
import { Fault, invalid } from '../../errors/fault.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { created, fixed, flag, metadataSought, page, pageOf, text } from '../../http/input/fields.ts';
import { standFor } from '../../http/input/stand-for.ts';
import { validate } from '../../http/input/validate.ts';
import { deletedSchema, deletedView, pageEcho, pageView } from '../../http/schemas.ts';
import type { OfferDoc } from '../../store/collections.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { deactivation, exampleOffer } from '../openapi/examples/offer.ts';
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

/** The most offers in one call. */
const BATCH_MAX = 100;

const itemId = z.string().describe('The id of the offer, as sent.');

/** An item that succeeded. */
const doneSchema = z.strictObject({
  id: itemId,
  status: z.literal(200).describe('The status of the call for this offer alone.'),
  offer: offerSchema.describe('The offer after the change; for a deletion, before it.'),
});

/** An item that was refused. */
const failedSchema = z.strictObject({
  id: itemId,
  status: z.int().min(400).describe('The status of the call for this offer alone.'),
  error: z.string().describe('The error of this item.'),
});

/** The result of each offer of a batch, in the order of the request (docs/rules.md, "Offers"). */
export const batchSchema = z.strictObject({
  results: z.array(z.union([doneSchema, failedSchema])).describe('One result per item, in the order of the request.'),
});

/** Runs each item by itself, one after another: an error of one stops no other. */
async function inBatch<T extends { readonly id: string }>(
  items: readonly T[],
  requestId: string,
  { log, config }: Pick<HttpDeps, 'log' | 'config'>,
  act: (item: T) => Promise<OfferDoc>,
): Promise<z.output<typeof batchSchema>> {
  const results: z.output<typeof batchSchema>['results'] = [];
  for (const item of items) {
    try {
      results.push({ id: item.id, status: 200, offer: offerView(await act(item), config.publicUrl) });
    } catch (error) {
      const isRefused = error instanceof Fault && error.status < 500;
      if (!isRefused) {
        const note = 'this offer of a batch failed with an internal error; the next offers follow';
        log.error({ requestId, offer: item.id, err: error }, note);
      }
      const { status, message } = isRefused ? error : { status: 500, message: 'Internal error' };
      results.push({ id: item.id, status, error: message });
    }
  }
  return { results };
}

const { id: _own, ...fields } = updateBody.shape;

/**
 * Checks only the field names of each item here: a wrong value fails its own item, not the whole body.
 */
const unchecked = Object.fromEntries(
  Object.entries(fields).map(([name, field]) => [
    name,
    standFor(field)
      .optional()
      .describe(field === fixed ? 'Cannot be updated.' : (field.description ?? '')),
  ]),
);

export const updateOffers = endpoint({
  summary: 'Update up to 100 offers, each on its own',
  id: 'updateOffers',
  description:
    'One metered call. Each item is updated by itself, with the answer of PATCH /offers/{offerId}; a failure of one does not stop the others.',
  body: z.object({
    offers: z
      .array(z.object({ id: text(100).describe('The offer to update.'), ...unchecked }))
      .min(1, `must have 1 to ${BATCH_MAX} items`)
      .max(BATCH_MAX, `must have 1 to ${BATCH_MAX} items`)
      .describe('The updates. Each has its own result, with its own error.'),
  }),
  responses: { 200: batchSchema },
  notes: {
    400: 'The whole body is not valid: no `offers`, an empty list or more than 100, or one without an `id`.',
  },
  messages: { 400: 'offers must have 1 to 100 items' },
  example: {
    body: { offers: [{ id: IDS.offer, ...deactivation }] },
    answer: {
      status: 200,
      body: { results: [{ id: IDS.offer, status: 200, offer: { ...exampleOffer, ...deactivation } }] },
    },
  },
  handle: async ({ body, caller, requestId }, deps) => {
    const results = await inBatch(body.offers, requestId, deps, async ({ id, ...change }) =>
      update(deps, caller, id, updateInput(validate(updateBody, change))),
    );
    return answer(200, results);
  },
});

export const deleteOffers = endpoint({
  summary: 'Delete up to 100 offers, each on its own',
  id: 'deleteOffers',
  description:
    'One metered call. Each offer is deleted by itself, with the answer of DELETE /offers/{offerId}; a refusal of one does not stop the others.',
  query: z.object({
    ids: z.string().optional().describe('The ids, separated by commas, for clients that send no body with a DELETE.'),
  }),
  body: z.object({ ids: z.array(text(100)).optional().describe('The ids: 1 to 100. Either here or in the query.') }),
  responses: { 200: batchSchema },
  notes: {
    400: 'No ids, more than 100, or ids in both places.',
  },
  messages: { 400: 'ids must have 1 to 100 items' },
  example: {
    body: { ids: [IDS.offer] },
    answer: {
      status: 200,
      body: {
        results: [{ id: IDS.offer, status: 409, error: 'Offer has live subscriptions; deactivate it instead' }],
      },
    },
  },
  handle: async ({ query, body, caller, requestId }, deps) => {
    const items = idsOf(body.ids, query.ids).map((id) => ({ id }));
    return answer(200, await inBatch(items, requestId, deps, ({ id }) => remove(deps, caller, id)));
  },
});

/** In the body or, for clients that send no body with a DELETE, comma-separated in the query. */
function idsOf(inBody: readonly string[] | undefined, inQuery: string | undefined): readonly string[] {
  if (inBody !== undefined && inQuery !== undefined)
    throw invalid('ids must be in the body or in the query, not in both');
  const ids = inBody ?? inQuery?.split(',');
  if (ids === undefined) throw invalid('ids is required');
  if (ids.length < 1 || ids.length > BATCH_MAX || ids.includes(''))
    throw invalid(`ids must have 1 to ${BATCH_MAX} items`);
  return ids;
}
