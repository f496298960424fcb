import { answer, endpoint, none } from '../endpoint.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import { offerParams } from './fields.ts';
import { updateBody, updateInput } from './update-fields.ts';

export const updateOffer = endpoint({
  summary: 'Update an offer; its pricing options are immutable',
  params: offerParams,
  query: none,
  body: updateBody,
  responses: { 200: offerSchema },
  errors: [404, 409],
  handle: async ({ params, body, caller }, { services, config }) => {
    const offer = await services.offers.update(caller, params.offerId, updateInput(body));
    return answer(200, offerView(offer, config.publicUrl));
  },
});
