import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { flag, page } from '../input/fields.ts';
import { offerSchema, offerView } from '../views/offer.ts';
import { pageEcho } from '../views/shared.ts';

export const listOffers = endpoint({
  summary: 'List offers, newest first',
  params: none,
  query: z.object({ active: flag.optional(), identifier: z.string().optional(), ...page }),
  body: none,
  responses: { 200: z.strictObject({ offers: z.array(offerSchema), ...pageEcho }) },
  errors: [],
  handle: async ({ query, caller }, { services, config }) => {
    const { active = null, identifier = null, limit, start } = query;
    const offers = await services.offers.list(caller, { active, identifier, limit, start });
    return answer(200, { offers: offers.map((offer) => offerView(offer, config.publicUrl)), limit, start });
  },
});
