import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { flag } from '../input/fields.ts';
import { chainSchema, chainView } from '../views/currency.ts';

export const listCurrencies = endpoint({
  summary: 'List the chains and tokens that can be charged',
  params: none,
  query: z.object({ includeTestnets: flag.default(false) }),
  body: none,
  responses: { 200: z.strictObject({ chains: z.array(chainSchema) }) },
  errors: [],
  handle: async ({ query, caller }, { catalog, chains }) => {
    const shown = catalog.chains.filter((chain) => query.includeTestnets || !chain.testnet);
    return answer(200, { chains: shown.map((chain) => chainView(chain, { catalog, chains }, caller)) });
  },
});
