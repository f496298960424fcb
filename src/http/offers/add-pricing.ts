import { answer, endpoint, none } from '../endpoint.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import { offerParams, pricingFields, pricingInput } from './fields.ts';

export const addPricing = endpoint({
  summary: 'Add a pricing option to an offer',
  params: offerParams,
  query: none,
  body: pricingFields,
  responses: { 201: offerSchema },
  errors: [404, 409, 503],
  handle: async ({ params, body, caller }, { services, config }) => {
    const offer = await services.offers.addOption(caller, params.offerId, pricingInput(body));
    return answer(201, offerView(offer, config.publicUrl));
  },
});
