import { z } from 'zod';
import { updateOffer as update } from '../../billing/offers/offer-changes.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { fixed, text } from '../../http/input/fields.ts';
import { standFor } from '../../http/input/stand-for.ts';
import { validate } from '../../http/input/validate.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { deactivation, exampleOffer } from '../openapi/examples/offer.ts';
import { BATCH_MAX, batchSchema, inBatch } from './batch.ts';
import { updateBody, updateInput } from './update-fields.ts';

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
    const context = { publicUrl: deps.config.publicUrl, requestId, log: deps.log };
    const results = await inBatch(body.offers, context, async ({ id, ...change }) =>
      update(deps, caller, id, updateInput(validate(updateBody, change))),
    );
    return answer(200, results);
  },
});
