import { z } from 'zod';
import { deleteWallet as remove } from '../../billing/payout/wallet-changes.ts';
import { listWallets as findWallets, registerWallet as register } from '../../billing/payout/wallets.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { text } from '../../http/input/fields.ts';
import { deletedSchema, deletedView } from '../../http/schemas.ts';
import { ADDRESSES, IDS, MOMENTS, TOKEN } from '../openapi/examples/ids.ts';
import { walletSchema, walletView } from '../views/wallet.ts';

/** The merchant's receiver of USDC on Base. */
const exampleWallet: z.output<typeof walletSchema> = {
  id: IDS.wallet,
  merchantId: IDS.merchant,
  ...TOKEN,
  receiverWallet: ADDRESSES.payout,
  effectiveAt: MOMENTS.created,
  createdAt: MOMENTS.created,
};

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

export const registerWallet = endpoint({
  summary: 'Register the payout wallet of a token, or replace its address in place',
  id: 'registerWallet',
  description:
    'From now on every charge in this token is paid out to this address, also if a pricing option names another destination. Charges of payers who signed a mandate before follow at `effectiveAt`; until then they pay the address before. An existing wallet keeps its id and gets the new address. Emits `wallet.updated`, unless nothing has changed.',
  body: z.object({
    tokenKey: text(100).describe('The token to pay out. A live key takes mainnet tokens only.'),
    receiverWallet: text(100).describe(
      "The receiver: an address on the token's chain; not zero, no token, not the operator; on Solana a wallet, no token account or program, and for a live key with an account for the token.",
    ),
  }),
  responses: { 201: walletSchema, 200: walletSchema },
  notes: {
    201: 'Registered for the first time.',
    200: 'The address was replaced, or was already the same.',
    429: 'A limit of this endpoint is exceeded, or the budget of a day for announcements, which a new address needs where payers have signed another one. Nothing has changed.',
  },
  messages: { 400: 'receiverWallet must not be the zero address' },
  example: {
    body: { tokenKey: TOKEN.tokenKey, receiverWallet: ADDRESSES.payout },
    answer: { status: 201, body: exampleWallet },
  },
  handle: async ({ body, caller }, deps) => {
    const { wallet, isNew } = await register(deps, caller, body);
    return answer(isNew ? 201 : 200, walletView(wallet));
  },
});

export const deleteWallet = endpoint({
  summary: 'Delete a payout wallet without an address',
  id: 'deleteWallet',
  description:
    'Refused while an address is registered: register another one instead, with POST /wallets. Only a wallet whose address staff have removed can be deleted. Its id is then gone for good: another DELETE is a 404, and POST /wallets makes another row.',
  params: z.object({ id: z.string().describe('The wallet.') }),
  responses: { 200: deletedSchema },
  errors: [404, 409],
  notes: {
    409: 'It has a registered address.',
  },
  messages: { 409: 'Wallet has an address registered for usdc-base; register a different one instead' },
  example: { params: { id: IDS.wallet }, answer: { status: 200, body: { id: IDS.wallet, deleted: true } } },
  handle: async ({ params, caller }, deps) => {
    await remove(deps, caller, params.id);
    return answer(200, deletedView(params.id));
  },
});
