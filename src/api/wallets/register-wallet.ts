import { z } from 'zod';
import { answer, endpoint, none } from '../../http/endpoint.ts';
import { text } from '../../http/input/fields.ts';
import { ADDRESSES, TOKEN } from '../openapi/examples/ids.ts';
import { exampleWallet } from '../openapi/examples/wallet.ts';
import { walletSchema, walletView } from '../views/wallet.ts';

export const registerWallet = endpoint({
  summary: 'Register the payout wallet of a token, or replace its address in place',
  id: 'registerWallet',
  description:
    'From now on every charge in this token is paid out to this address, whatever destination a pricing option names. A wallet that is there already gets the new address in place. Emits `wallet.updated`, unless nothing has changed.',
  params: none,
  query: none,
  body: z.object({
    tokenKey: text(100).describe('The token to be paid out. A live key takes mainnet tokens only.'),
    receiverWallet: text(100).describe(
      "Where to: an address on the token's chain; not zero, no token, not the operator; on Solana a wallet, no token account or program.",
    ),
  }),
  responses: { 201: walletSchema, 200: walletSchema },
  errors: [],
  notes: {
    201: 'Registered for the first time.',
    200: 'The address was replaced, or was the same already.',
  },
  messages: { 400: 'receiverWallet must not be the zero address' },
  example: {
    body: { tokenKey: TOKEN.tokenKey, receiverWallet: ADDRESSES.payout },
    answer: { status: 201, body: exampleWallet },
  },
  handle: async ({ body, caller }, { services }) => {
    const { wallet, isNew } = await services.wallets.register(caller, body);
    return answer(isNew ? 201 : 200, walletView(wallet));
  },
});
