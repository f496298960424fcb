import { z } from 'zod';
import { baseUnits, moment } from '../../../machines/effects.ts';

/**
 * The shape of a proof of charge. A proof is signed over its bytes, so the order of its fields is part of it: canonical
 * JSON (RFC 8785), in which names are in order. Every object here has its fields in that order, and a test holds it.
 */
const share = z.strictObject({
  account: z.string().nullable().describe('Solana: the token account that received it. `null` on EVM.'),
  amount: baseUnits.describe('How much was paid, base units of the playing token.'),
  logIndex: z
    .int()
    .nonnegative()
    .describe('EVM: the index of its Transfer log in the block. Solana: of its instruction in the transaction.'),
  role: z.enum(['forward', 'platform', 'split']).describe('The merchant, the fee, or one of the splits.'),
  to: z.string().describe('Who was paid.'),
});

const onChain = z.strictObject({
  blockHash: z.string().describe('The hash of the block that the transaction is in.'),
  blockNumber: z.int().nonnegative().describe('The number of that block; on Solana the slot.'),
  chainId: z.int().describe('The chain on which it was charged: with a test key, the one that plays the asked one.'),
  confirmations: z.int().positive().describe('Blocks (Solana: slots) from that one to the newest, both counted.'),
  family: z.enum(['evm', 'solana']).describe('The kind of chain.'),
  from: z.string().describe('The wallet that was charged.'),
  gross: baseUnits.describe('What was pulled: the sum of the shares, base units of the playing token.'),
  logIndex: z
    .int()
    .nonnegative()
    .describe("EVM: the index of the router's log `Charged` in the block. Solana: of the memo's instruction."),
  merchant: z
    .string()
    .describe(
      "How the chain names the merchant. EVM: the salt of its operator; Solana: its delegate, or a deposit's key.",
    ),
  router: z.string().nullable().describe('EVM: the router, whose log it is. `null` on Solana.'),
  shares: z.array(share).describe('Everybody who was paid, in the order in which they were.'),
  token: z.string().describe('The playing token: contract or mint.'),
  transaction: z.string().describe('The transaction: its hash, on Solana its first signature.'),
});

const refund = z.strictObject({
  account: z.string().nullable().describe('Solana: the token account that received it. `null` on EVM.'),
  amount: baseUnits.describe('What was given back, base units of the playing token.'),
  blockNumber: z.int().nonnegative().describe('The number of the block of its transaction; on Solana the slot.'),
  from: z.string().describe('The wallet that gave it back.'),
  id: z.string().describe('The refund: `ref_…`.'),
  logIndex: z
    .int()
    .nonnegative()
    .describe("EVM: the index of the router's log `Refunded` in the block. Solana: of the transfer's instruction."),
  reference: z
    .string()
    .nullable()
    .describe('Solana: the address that stands for the refund, which the transfer names. `null` on EVM.'),
  router: z.string().nullable().describe('EVM: the router whose log names the charge. `null` on Solana.'),
  to: z.string().describe('Who got it.'),
  transaction: z.string().describe('The transaction: its hash, on Solana its first signature.'),
});

const split = z.strictObject({
  address: z.string().describe('Who gets it.'),
  percentage: z.string().describe("Of the merchant's part, percent."),
});

const terms = z.strictObject({
  amount: baseUnits.describe('What was agreed, base units of the token that was asked for.'),
  chainId: z.int().describe('The chain of the token that was asked for.'),
  cycle: z.int().positive().nullable().describe('The number of the cycle; `null` for a one-off payment.'),
  decimals: z.int().nonnegative().describe('Of the token that was asked for.'),
  feeBps: z.int().nonnegative().describe("The service's fee, basis points."),
  merchantAmount: baseUnits.describe("The merchant's part, splits included."),
  offerId: z.string().nullable().describe('What was bought; `null` for a direct charge.'),
  payer: z
    .string()
    .nullable()
    .describe('Who was to pay; of a `wallet_transfer` the address that the money was sent to.'),
  periodEnd: moment.nullable().describe('Of a cycle: until when it pays, not included.'),
  periodStart: moment.nullable().describe('Of a cycle: from when it pays.'),
  platformAmount: baseUnits.describe('The fee.'),
  priceId: z.string().nullable().describe('The pricing option; `null` for a direct charge.'),
  recipient: z.string().nullable().describe("Where the merchant's own part was to go."),
  splits: z.array(split).describe("Who shares the merchant's part."),
  subscriptionId: z.string().nullable().describe('Of a cycle.'),
  tokenKey: z.string().describe('The token that was asked for.'),
});

const announcement = z.strictObject({
  payee: z.string().describe('The recipient that it announces.'),
  transaction: z
    .string()
    .describe("The transaction whose memo, signed by the merchant's delegate, names the recipient."),
});

const mandate = z.strictObject({
  agreement: z.string().describe('Names the subscription or payment to the chain; 32 random bytes in hex.'),
  announcements: z
    .array(announcement)
    .exactOptional()
    .describe('Solana: the announcements of the recipients that the payer has not signed.'),
  charges: z.int().nonnegative().describe('The most charges in all; `0`: until the payer revokes it.'),
  cycle: z.int().positive().describe('The number of this charge within the agreement.'),
  end: z.int().nonnegative().describe('No charge after this moment, Unix seconds; `0`: none.'),
  feeBps: z.int().nonnegative().describe("The most of a charge for the platform's wallet, basis points."),
  id: z
    .string()
    .describe('EVM: the EIP-712 hash that the payer signed. Solana: the hash that the signed message names.'),
  interval: z.int().nonnegative().describe('Seconds from one charge to the next; `0`: no rhythm, or one of months.'),
  issuedAt: z.int().nonnegative().describe('When the payer was asked to sign, Unix seconds.'),
  message: z.string().describe('The text that the payer was shown; on Solana, the text that the payer signed.'),
  months: z
    .int()
    .nonnegative()
    .describe('Calendar months (UTC) from one charge to the next; `0`: no rhythm, or one of seconds.'),
  payees: z.array(z.string()).describe('Who may be paid.'),
  payer: z.string().describe('The wallet that signed.'),
  per30Days: baseUnits
    .exactOptional()
    .describe('The most of all charges in any 30 days, base units; absent: no such limit.'),
  perCharge: baseUnits.describe('The most of one charge, base units of the playing token.'),
  platform: z.string().describe("The platform's wallet."),
  router: z.string().nullable().describe('EVM: the router that the mandate is for. `null` on Solana.'),
  signature: z
    .string()
    .describe('EVM: 0x-hex, of the key of the payer or for its contract (EIP-1271). Solana: base58, over `message`.'),
  start: z.int().nonnegative().describe('No charge before this moment, Unix seconds.'),
  terms: z.string().describe('The hash of the terms that the payer was shown.'),
  token: z.string().describe('The playing token: contract or mint.'),
});

const signature = z.strictObject({
  algorithm: z.literal('Ed25519').describe('How it is signed.'),
  keyId: z.string().describe('The thumbprint of the public key (RFC 7638): `kid` of `/.well-known/jwks.json`.'),
  publicKey: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('The key that it is to be checked with, hex of 32 bytes.'),
  value: z
    .string()
    .regex(/^[0-9a-f]{128}$/)
    .describe(
      'The signature, hex, over the UTF-8 bytes of the canonical JSON (RFC 8785) of the proof without this field.',
    ),
});

/** What proves that a payment was charged, without the service. */
export const proofSchema = z.strictObject({
  chargeKey: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .describe(
      'Names the charge on the chain: keccak256 of `subscription:<id>:<cycle>`, or of `payment:<id>`; under a mandate, of its agreement and the cycle.',
    ),
  isSandbox: z.boolean().describe('`true` for what was made with a test key.'),
  issuedAt: moment.describe('When it was signed.'),
  mandate: mandate.nullable().exactOptional().describe('What the payer has signed; `null`: an open allowance.'),
  merchantId: z.string().describe('The merchant.'),
  onChain: onChain.describe('What the chain says.'),
  paymentId: z.string().describe('The payment.'),
  refunds: z
    .array(refund)
    .exactOptional()
    .describe('What the merchant had given back when it was signed, oldest request first; absent: nothing.'),
  signature: signature.describe('Who says all of it.'),
  terms: terms.describe('What was agreed.'),
  type: z.literal('tideline.proof-of-charge').describe('What this is.'),
  version: z.literal(1).describe('Of this form.'),
});
export type Proof = z.infer<typeof proofSchema>;

/** A proof as it is signed: all but the signature's value. */
export type UnsignedProof = Omit<Proof, 'signature'> & { readonly signature: Omit<Proof['signature'], 'value'> };
