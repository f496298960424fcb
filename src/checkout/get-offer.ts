import { answer, checkoutEndpoint, none } from '../http/endpoint.ts';
import { offerParams } from './fields.ts';
import { offerOnSaleSchema, offerOnSaleView } from './views/offer.ts';

export const getOffer = checkoutEndpoint({
  summary: 'What a page needs to sell an offer',
  params: offerParams,
  query: none,
  body: none,
  responses: { 200: offerOnSaleSchema },
  errors: [404],
  handle: async ({ params }, { services, catalog, chains }) => {
    const sale = await services.checkout.offer(params.offerId);
    return answer(200, offerOnSaleView(sale, { catalog, chains }));
  },
});
