import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { deletedSchema, deletedView } from '../views/shared.ts';

export const deleteWallet = endpoint({
  summary: 'Delete a payout wallet that has no address any more',
  params: z.object({ id: z.string() }),
  query: none,
  body: none,
  responses: { 200: deletedSchema },
  errors: [404, 409],
  handle: async ({ params, caller }, { services }) => {
    const wallet = await services.wallets.remove(caller, params.id);
    return answer(200, deletedView(wallet._id));
  },
});
