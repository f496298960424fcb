import { z } from 'zod';
import { appliedDiscount, baseUnits, credit, usagePeriod } from '../../machines/effects.ts';
import { parseOnce } from '../../machines/parse-once.ts';
import { type PaymentContext, paymentContextParser } from '../../machines/payment/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import type { Catalog } from '../chains/catalog.ts';
import { newestState } from '../engine/upcast.ts';
import type { ActorDoc } from '../store/documents.ts';
import { siblingId } from '../store/ids.ts';
import { formatAmount } from './amounts.ts';

/** The attributes of a payment, fixed at its creation. */
const schema = z.strictObject({
  source: z.enum(['one_time', 'subscription']),
  customerId: z.string().nullable(),
  subscriptionId: z.string().nullable(),
  cycle: z.int().positive().nullable(),
  offerId: z.string().nullable(),
  priceId: z.string().nullable(),
  tokenKey: z.string(),
  chainId: z.int(),
  /** Base units of the requested token; they add up to the context's `amount`. */
  platformAmount: baseUnits,
  merchantAmount: baseUnits,
  feeBps: z.int().min(0).max(10_000),
  splits: z.array(z.strictObject({ address: z.string(), percentage: z.string() })),
  /** The payout address of a cycle without a registered wallet. */
  destination: z.strictObject({ evm: z.string().nullable(), solana: z.string().nullable() }).nullable(),
  paymentMethod: z.enum(['wallet_connect', 'wallet_transfer']),
  affiliatePartnerId: z.string().nullable(),
  affiliateCommissionPct: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  refundWallet: z.string().nullable(),
  /** For a `wallet_transfer`: the block of the playing chain from which its deposit is searched for; null: unknown. */
  depositSince: z.int().nonnegative().nullable().exactOptional(),
  /** Of a one-off payment under a mandate: the number of its charge within the agreement. Absent: 1. */
  agreementCycle: z.int().positive().exactOptional(),
  /** The units that a cycle is for; absent: the price was fixed, or it is no cycle. */
  quantity: z.int().positive().exactOptional(),
  /** The use that a cycle charges; absent: its price was not metered. */
  usage: usagePeriod.exactOptional(),
  /** What the charge is less by; absent: nothing. */
  discount: appliedDiscount.exactOptional(),
  credit: credit.exactOptional(),
  /** The secret of its charge's key, on Solana; absent on EVM, where the ids alone give the key. */
  chargeSecret: z.string().exactOptional(),
  /** As shown; cycles and checkouts have a descriptive key. */
  idempotencyKey: z.string().nullable(),
  requestHash: z.string().nullable(),
});
export type PaymentAttributes = z.infer<typeof schema>;

export const paymentAttributes = parseOnce(schema);

/**
 * A payment's snapshot in its newest shape. Throws UnknownVersion if only newer code can read it, and ZodError if it is
 * invalid.
 */
export function paymentContextOf(doc: ActorDoc): PaymentContext {
  return paymentContextParser.parse(newestState(MACHINES, doc).context);
}

/** When the charge of a settled payment was found final. Payments of older versions have their last change alone. */
export function settledAtOf(doc: ActorDoc): Date {
  const { settledAt } = paymentContextOf(doc);
  return settledAt === undefined ? doc.updatedAt : new Date(settledAt);
}

/** The id of a cycle's payment. It follows from the two, so the payment is created once. */
export function cyclePaymentId(subscriptionId: string, cycle: number): string {
  return siblingId('pay', subscriptionId, `cycle:${cycle}`);
}

/** True before the first attempt of a payment that is charged from its deposit, also if it has ended without one. */
export function isAwaitingDeposit(payment: ActorDoc): boolean {
  const { deposit, attempt } = paymentContextOf(payment);
  return deposit !== null && attempt === 0;
}

const status = z.enum(['pending', 'pulled', 'settled', 'failed', 'canceled']);

export type PaymentStatus = z.infer<typeof status>;
export type PaymentSource = PaymentAttributes['source'];
export type PaymentMethod = PaymentAttributes['paymentMethod'];

export function paymentStatusOf(doc: Pick<ActorDoc, 'status'>): PaymentStatus {
  return status.parse(doc.status);
}

/** Writes base units of a payment's token as token units. Throws if its token is not in the catalog. */
export function paymentUnits(doc: ActorDoc, catalog: Catalog): (units: string) => string {
  const { tokenKey } = paymentAttributes.parse(doc.attributes);
  const token = catalog.tokenByKey(tokenKey);
  if (token === undefined) throw new Error(`payment ${doc._id} is in the unknown token ${tokenKey}`);
  return (units) => formatAmount(BigInt(units), token.decimals);
}

/** Where the payment's token really moves. Throws an Error if no chain plays it: then nothing was charged either. */
export function playOf(catalog: Catalog, { attributes, mode, _id }: ActorDoc) {
  const answer = catalog.play(paymentAttributes.parse(attributes).tokenKey, mode);
  if (!answer.ok) throw new Error(`${_id} is in a token that no chain plays`);
  return answer.play;
}
