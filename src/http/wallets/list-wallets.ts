import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { walletSchema, walletView } from '../views/wallet.ts';

export const listWallets = endpoint({
  summary: 'List payout wallets, one per token',
  params: none,
  query: none,
  body: none,
  responses: { 200: z.strictObject({ wallets: z.array(walletSchema) }) },
  errors: [],
  handle: async ({ caller }, { services }) => {
    const wallets = await services.wallets.list(caller);
    return answer(200, { wallets: wallets.map(walletView) });
  },
});
