import { z } from 'zod';
import { answer } from '../http/endpoint.ts';
import { text } from '../http/input/fields.ts';
import { mode } from '../http/schemas.ts';
import { search } from '../staff/inspect/search.ts';
import { tenantStore } from '../store/tenant.ts';
import { dashboardEndpoint } from './endpoint.ts';
import { namesSchema, searchSchema } from './wire.ts';

export const searchOwn = dashboardEndpoint({
  summary: 'Find a thing of the merchant by what a person has at hand',
  query: z.object({ mode, q: text(300) }),
  responses: { 200: searchSchema },
  handle: async ({ query: { mode, q }, caller }, deps) => {
    const { _id: merchantId } = caller.session.merchant;
    return answer(200, { results: await search(deps, q, { merchantId, mode }) });
  },
});

const NAMES_MAX = 200;

export const nameOwn = dashboardEndpoint({
  summary: 'Get the names of customers and offers by their ids',
  query: z.object({ mode, ids: text(NAMES_MAX * 40).transform((ids) => ids.split(',').slice(0, NAMES_MAX)) }),
  responses: { 200: namesSchema },
  handle: async ({ query: { mode, ids }, caller }, deps) => {
    const own = tenantStore(deps.store, { merchantId: caller.session.merchant._id, mode });
    const query = { where: { _id: { in: ids } }, limit: NAMES_MAX };
    const [customers, offers] = await Promise.all([own.find('customers', query), own.find('offers', query)]);
    const names = [
      ...customers.map(({ _id, name, email, merchantReferenceId }) => [_id, name ?? email ?? merchantReferenceId]),
      ...offers.map(({ _id, name }) => [_id, name]),
    ];
    return answer(200, { names: Object.fromEntries(names.filter(([, name]) => name !== null)) });
  },
});
