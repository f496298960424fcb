import { z } from 'zod';
import { answer } from '../http/endpoint.ts';
import { text } from '../http/input/fields.ts';
import { staffEndpoint } from './endpoint.ts';
import { environment, ofMerchant, reason } from './fields.ts';
import { staffWalletView } from './views.ts';
import { staffWalletSchema } from './wire.ts';

export const setWallet = staffEndpoint({
  summary: 'Register the payout wallet of a token for a merchant, or replace its address',
  params: ofMerchant,
  body: z.object({ mode: environment, tokenKey: text(100), receiverWallet: text(100), reason }),
  responses: { 201: staffWalletSchema, 200: staffWalletSchema },
  errors: [404],
  handle: async ({ params, body: { reason: why, ...input }, caller }, { services }) => {
    const order = { by: caller.by, reason: why };
    const { wallet, isNew } = await services.administration.setWallet(params.merchantId, input, order);
    return answer(isNew ? 201 : 200, staffWalletView(wallet));
  },
});

export const removeWallet = staffEndpoint({
  summary: 'Remove the address of a payout wallet: payouts fall back, and the merchant can delete the row',
  params: z.object({ ...ofMerchant.shape, walletId: z.string() }),
  body: z.object({ reason }),
  responses: { 200: staffWalletSchema },
  errors: [404, 409],
  handle: async ({ params: { merchantId, walletId }, body, caller }, { services }) => {
    const order = { by: caller.by, reason: body.reason };
    return answer(200, staffWalletView(await services.administration.removeWallet(merchantId, walletId, order)));
  },
});
