import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { ofMerchant, reason } from './fields.ts';
import { staffWalletSchema, staffWalletView } from './views.ts';

export const removeWallet = staffEndpoint({
  summary: 'Take the address of a payout wallet away: payouts fall back, and the merchant can delete the row',
  params: z.object({ ...ofMerchant.shape, walletId: z.string() }),
  query: none,
  body: z.object({ reason }),
  responses: { 200: staffWalletSchema },
  errors: [404, 409],
  handle: async ({ params: { merchantId, walletId }, body, caller }, { services }) => {
    const order = { by: caller.by, reason: body.reason };
    return answer(200, staffWalletView(await services.administration.removeWallet(merchantId, walletId, order)));
  },
});
