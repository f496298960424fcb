import { z } from 'zod';
import { deleteWallet as remove } from '../../billing/payout/wallet-changes.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { deletedSchema, deletedView } from '../../http/schemas.ts';
import { IDS } from '../openapi/examples/ids.ts';

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
