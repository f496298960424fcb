import { getOffer as findOffer } from '../../billing/offers/offers.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { exampleOffer } from '../openapi/examples/offer.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import { offerParams } from './fields.ts';

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
