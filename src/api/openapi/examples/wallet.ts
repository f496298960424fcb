import type { z } from 'zod';
import type { walletSchema } from '../../views/wallet.ts';
import { ADDRESSES, IDS, MOMENTS, TOKEN } from './ids.ts';

/** The merchant's receiver of USDC on Base. */
export const exampleWallet: z.output<typeof walletSchema> = {
  id: IDS.wallet,
  merchantId: IDS.merchant,
  ...TOKEN,
  receiverWallet: ADDRESSES.payout,
  effectiveAt: MOMENTS.created,
  createdAt: MOMENTS.created,
};
