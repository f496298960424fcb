import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { ofMerchant } from './fields.ts';
import { accountSchema, accountView } from './views.ts';

export const getMerchant = staffEndpoint({
  summary: 'Read a merchant with its keys, limits, fee, webhook settings and payout wallets; no secret is shown',
  params: ofMerchant,
  query: none,
  body: none,
  responses: { 200: accountSchema },
  errors: [404],
  handle: async ({ params }, { services }) =>
    answer(200, accountView(await services.administration.get(params.merchantId))),
});
