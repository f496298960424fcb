import { z } from 'zod';
import { retireOption } from '../../billing/offers/offer-changes.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { exampleOffer, monthlyOption, yearlyOption } from '../openapi/examples/offer.ts';
import { offerSchema, offerView } from '../views/offer.ts';

export const retirePricing = endpoint({
  summary: 'Retire a pricing option; existing subscriptions keep billing',
  id: 'retirePricing',
  description:
    'The option stays in `pricing` with `active` `false`: it takes no new subscriptions, existing ones keep billing. A repeated call has the same answer.',
  params: z.object({ offerId: z.string().describe('The offer.'), priceId: z.string().describe('The pricing option.') }),
  responses: { 200: offerSchema },
  errors: [404, 409],
  notes: {
    409: 'It is the last active option of the offer.',
  },
  messages: { 409: 'Offer has no other active pricing option; add one first, or deactivate the offer' },
  example: {
    params: { offerId: IDS.offer, priceId: IDS.monthly },
    answer: { status: 200, body: { ...exampleOffer, pricing: [{ ...monthlyOption, active: false }, yearlyOption] } },
  },
  handle: async ({ params, caller }, deps) => {
    const offer = await retireOption(deps, caller, params.offerId, params.priceId);
    return answer(200, offerView(offer, deps.config.publicUrl));
  },
});
