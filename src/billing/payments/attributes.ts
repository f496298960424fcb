import { z } from 'zod';
import { baseUnits } from '../../../machines/effects.ts';

/** What never changes about a payment: fixed when it is made. */
export const paymentAttributes = z.strictObject({
  source: z.enum(['one_time', 'subscription']),
  customerId: z.string().nullable(),
  subscriptionId: z.string().nullable(),
  cycle: z.int().positive().nullable(),
  offerId: z.string().nullable(),
  priceId: z.string().nullable(),
  tokenKey: z.string(),
  chainId: z.int(),
  /** Base units of the token that was asked for; they add up to the context's `amount`. */
  platformAmount: baseUnits,
  merchantAmount: baseUnits,
  feeBps: z.int().min(0).max(10_000),
  splits: z.array(z.strictObject({ address: z.string(), percentage: z.string() })),
  /** Where a cycle's money goes when no payout wallet is registered. */
  destination: z.strictObject({ evm: z.string().nullable(), solana: z.string().nullable() }).nullable(),
  paymentMethod: z.enum(['wallet_connect', 'wallet_transfer']),
  affiliatePartnerId: z.string().nullable(),
  affiliateCommissionPct: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  refundWallet: z.string().nullable(),
  /** Of a `wallet_transfer`: the playing chain's block from which on its deposit is searched for; null: nobody said. */
  depositSince: z.int().nonnegative().nullable().exactOptional(),
  /** As shown; of cycles and checkouts a name that says what they are. */
  idempotencyKey: z.string().nullable(),
  /** The same for what POST /payments made, and only there: the one that is unique. */
  apiKeyOf: z.string().nullable(),
  requestHash: z.string().nullable(),
});
export type PaymentAttributes = z.infer<typeof paymentAttributes>;
