import { answer, endpoint, none } from '../endpoint.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import { offerParams } from './fields.ts';

export const getOffer = endpoint({
  summary: 'Read an offer',
  params: offerParams,
  query: none,
  body: none,
  responses: { 200: offerSchema },
  errors: [404],
  handle: async ({ params, caller }, { services, config }) => {
    const offer = await services.offers.get(caller, params.offerId);
    return answer(200, offerView(offer, config.publicUrl));
  },
});
