import { deleteOffer as remove } from '../../billing/offers/offer-changes.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { deletedSchema, deletedView } from '../../http/schemas.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { offerParams } from './fields.ts';

export const deleteOffer = endpoint({
  summary: 'Delete an offer without live subscriptions, for good',
  id: 'deleteOffer',
  description:
    'The offer is gone for good, and its `identifier` is free again. To stop sales while subscriptions continue, set `active` to `false` instead.',
  params: offerParams,
  responses: { 200: deletedSchema },
  errors: [404, 409],
  notes: {
    409: 'It has a live subscription (pending, active or past due): deactivate it instead.',
  },
  messages: { 409: 'Offer has live subscriptions; deactivate it instead' },
  example: { params: { offerId: IDS.offer }, answer: { status: 200, body: { id: IDS.offer, deleted: true } } },
  handle: async ({ params, caller }, deps) => {
    const offer = await remove(deps, caller, params.offerId);
    return answer(200, deletedView(offer._id));
  },
});
