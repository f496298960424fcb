import { z } from 'zod';
import { removeWallet as remove, setWallet as set } from '../billing/administration/wallets.ts';
import { answer } from '../http/endpoint.ts';
import { text } from '../http/input/fields.ts';
import { dashboardEndpoint, orderOf } from './endpoint.ts';
import { walletView } from './views.ts';
import { setWalletSchema } from './wire.ts';

const mode = z.enum(['test', 'live']);

export const setWallet = dashboardEndpoint({
  summary: 'Register the payout wallet of a token, or replace its address',
  body: z.object({ mode, tokenKey: text(100), receiverWallet: text(100) }),
  responses: { 201: setWalletSchema, 200: setWalletSchema },
  handle: async ({ body, caller }, deps) => {
    const { merchant } = caller.session;
    const { wallet, isNew } = await set(deps, merchant._id, body, orderOf(caller));
    return answer(isNew ? 201 : 200, walletView(wallet));
  },
});

export const removeWallet = dashboardEndpoint({
  summary: 'Remove the address of a payout wallet: payouts fall back to the wallets of offers',
  params: z.object({ walletId: z.string() }),
  responses: { 200: setWalletSchema },
  handle: async ({ params, caller }, deps) => {
    const { merchant } = caller.session;
    const removed = await remove(deps, merchant._id, params.walletId, orderOf(caller));
    return answer(200, walletView(removed));
  },
});
