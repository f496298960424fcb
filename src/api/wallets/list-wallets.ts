import { z } from 'zod';
import { listWallets as findWallets } from '../../billing/payout/wallets.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { exampleWallet } from '../openapi/examples/wallet.ts';
import { walletSchema, walletView } from '../views/wallet.ts';

export const listWallets = endpoint({
  summary: 'List payout wallets, one per token',
  id: 'listWallets',
  description: 'All wallets, one per token, without pages.',
  responses: { 200: z.strictObject({ wallets: z.array(walletSchema).describe('One per registered token.') }) },
  example: { answer: { status: 200, body: { wallets: [exampleWallet] } } },
  handle: async ({ caller }, deps) => {
    const wallets = await findWallets(deps, caller);
    return answer(200, { wallets: wallets.map(walletView) });
  },
});
