import { z } from 'zod';
import type { RegisteredWallet } from '../../billing/payout/wallet-changes.ts';
import { createdAt, idSchema, merchantId } from '../../http/schemas.ts';

/** Wallet (reference, section 2). Only rows with an address are listed. */
export const walletSchema = z.strictObject({
  id: idSchema('wal_').describe('The registration; it stays when the address is replaced.'),
  merchantId,
  tokenKey: z.string().describe('The token of the payouts.'),
  chainId: z.int().describe('The chain of the token.'),
  receiverWallet: z.string().nullable().describe('The receiver of the money; an EVM address has its checksum.'),
  createdAt,
});

export function walletView(wallet: RegisteredWallet): z.output<typeof walletSchema> {
  return {
    id: wallet._id,
    merchantId: wallet.merchantId,
    tokenKey: wallet.tokenKey,
    chainId: wallet.chainId,
    receiverWallet: wallet.receiverWallet,
    createdAt: wallet.createdAt.toISOString(),
  };
}
