import { answer, endpoint, none } from '../endpoint.ts';
import { deletedSchema, deletedView } from '../views/shared.ts';
import { offerParams } from './fields.ts';

export const deleteOffer = endpoint({
  summary: 'Delete an offer that has no live subscription, for good',
  params: offerParams,
  query: none,
  body: none,
  responses: { 200: deletedSchema },
  errors: [404, 409],
  handle: async ({ params, caller }, { services }) => {
    const offer = await services.offers.remove(caller, params.offerId);
    return answer(200, deletedView(offer._id));
  },
});
