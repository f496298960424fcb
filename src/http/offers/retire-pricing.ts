import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { offerSchema, offerView } from '../views/offer.ts';

export const retirePricing = endpoint({
  summary: 'Retire a pricing option; existing subscriptions keep billing',
  params: z.object({ offerId: z.string(), priceId: z.string() }),
  query: none,
  body: none,
  responses: { 200: offerSchema },
  errors: [404, 409],
  handle: async ({ params, caller }, { services, config }) => {
    const offer = await services.offers.retireOption(caller, params.offerId, params.priceId);
    return answer(200, offerView(offer, config.publicUrl));
  },
});
