import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { text } from '../input/fields.ts';
import { walletSchema, walletView } from '../views/wallet.ts';

export const registerWallet = endpoint({
  summary: 'Register the payout wallet of a token, or replace its address in place',
  params: none,
  query: none,
  body: z.object({ tokenKey: text(100), receiverWallet: text(100) }),
  responses: { 201: walletSchema, 200: walletSchema },
  errors: [],
  handle: async ({ body, caller }, { services }) => {
    const { wallet, isNew } = await services.wallets.register(caller, body);
    return answer(isNew ? 201 : 200, walletView(wallet));
  },
});
