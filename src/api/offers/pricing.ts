import { z } from 'zod';
import { addOption, retireOption } from '../../billing/offers/offer-changes.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { exampleOffer, monthlyOption, yearlyOption, yearlyRequest } from '../openapi/examples/offer.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import { offerParams, pricingFields, pricingInput } from './fields.ts';

export const addPricing = endpoint({
  summary: 'Add a pricing option to an offer',
  id: 'addPricing',
  description:
    'The other options and `checkoutUrl` do not change. The price is converted to tokens as in POST /offers.',
  params: offerParams,
  body: pricingFields,
  responses: { 201: offerSchema },
  errors: [404, 409],
  notes: {
    201: 'The offer with the new option.',
    409: 'The offer already has 50 options.',
  },
  messages: {
    400: 'amount must be at least 1.00 USD or equivalent in the chosen currency',
    409: 'Offer has 50 pricing options; 50 is the most',
  },
  example: {
    params: { offerId: IDS.offer },
    body: yearlyRequest,
    answer: { status: 201, body: { ...exampleOffer, pricing: [monthlyOption, yearlyOption] } },
  },
  handle: async ({ params, body, caller }, deps) => {
    const offer = await addOption(deps, caller, params.offerId, pricingInput(body));
    return answer(201, offerView(offer, deps.config.publicUrl));
  },
});

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
