import { z } from 'zod';
import type { WalletDoc } from '../../store/collections.ts';
import { idSchema, moment } from './shared.ts';

/** Wallet (reference, section 2). Only rows with an address are listed. */
export const walletSchema = z.strictObject({
  id: idSchema('wal_'),
  merchantId: idSchema('mrc_'),
  tokenKey: z.string(),
  chainId: z.int(),
  receiverWallet: z.string().nullable(),
  createdAt: moment,
});

export function walletView(wallet: WalletDoc): z.output<typeof walletSchema> {
  return {
    id: wallet._id,
    merchantId: wallet.merchantId,
    tokenKey: wallet.tokenKey,
    chainId: wallet.chainId,
    receiverWallet: wallet.receiverWallet,
    createdAt: wallet.createdAt.toISOString(),
  };
}
