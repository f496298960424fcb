import { updateOffer as update } from '../../billing/offers/offer-changes.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { exampleOffer } from '../openapi/examples/offer.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import { offerParams } from './fields.ts';
import { updateBody, updateInput } from './update-fields.ts';

export const updateOffer = endpoint({
  summary: 'Update an offer; its pricing options are immutable',
  id: 'updateOffer',
  description:
    'A field that is left out does not change; `null` clears an optional field. Pricing options are immutable: add one and retire the other.',
  params: offerParams,
  body: updateBody,
  responses: { 200: offerSchema },
  errors: [404, 409],
  notes: {
    400: 'Not valid, a field that cannot be updated (such as `pricing`), or nothing to update.',
    409: 'Another offer has this `identifier`.',
  },
  messages: { 400: 'pricing cannot be updated', 409: 'An offer with the identifier "pro-plan" already exists' },
  example: {
    params: { offerId: IDS.offer },
    body: { active: false },
    answer: { status: 200, body: { ...exampleOffer, active: false } },
  },
  handle: async ({ params, body, caller }, deps) => {
    const offer = await update(deps, caller, params.offerId, updateInput(body));
    return answer(200, offerView(offer, deps.config.publicUrl));
  },
});
