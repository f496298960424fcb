import { z } from 'zod';
import { listOffers as findOffers } from '../../billing/offers/offers.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { created, flag, metadataSought, page, pageOf } from '../../http/input/fields.ts';
import { pageEcho, pageView } from '../../http/schemas.ts';
import { exampleOffer } from '../openapi/examples/offer.ts';
import { offerSchema, offerView } from '../views/offer.ts';

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
