import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import type { DatedWallet } from '../../billing/payout/wallets.ts';
import { createdAt, idSchema, merchantId, momentOrNull } from '../../http/schemas.ts';
import { pick } from '../../model/pick.ts';

/** Wallet (reference, section 2). Only rows with an address are listed. */
export const walletSchema = z.strictObject({
  id: idSchema('wal_').describe('The registration; it stays when the address is replaced.'),
  merchantId,
  tokenKey: z.string().describe('The token of the payouts.'),
  chainId: z.int().describe('The chain of the token.'),
  receiverWallet: z.string().nullable().describe('The receiver of the money; an EVM address has its checksum.'),
  effectiveAt: moment
    .nullable()
    .describe(
      'From when charges pay this address although their payers have signed a mandate that does not name it. Until the chain has the announcement, this is the expected moment. null: the announcement was withdrawn. Other charges pay it at once.',
    ),
  createdAt,
});

export function walletView(wallet: DatedWallet): z.output<typeof walletSchema> {
  return {
    id: wallet._id,
    ...pick(wallet, 'merchantId', 'tokenKey', 'chainId', 'receiverWallet'),
    effectiveAt: momentOrNull(wallet.effectiveAt),
    createdAt: wallet.createdAt.toISOString(),
  };
}
