import { z } from 'zod';
import { failureReason, moment, usagePeriod } from '../../../machines/effects.ts';
import { blockedReasonOf } from '../../../machines/payment/changes.ts';
import { refundedUnits } from '../../../machines/payment/refunds.ts';
import type { Catalog } from '../../chains/catalog.ts';
import type { HttpDeps } from '../../http/deps.ts';
import {
  blockedReasonField,
  computedAmount,
  createdAt,
  idSchema,
  isSandbox,
  merchantId,
  momentsOf,
  paymentStatus,
  storedKey,
  stringMap,
  txHash,
  updatedAt,
} from '../../http/schemas.ts';
import { paymentAttributes, paymentContextOf, paymentStatusOf, paymentUnits } from '../../model/payment.ts';
import { orNull, pick } from '../../model/pick.ts';
import type { ActorDoc } from '../../store/documents.ts';

export const paymentSource = z.enum(['one_time', 'subscription']);

export const paymentMethod = z.enum(['wallet_connect', 'wallet_transfer']);

const fields = {
  id: idSchema('pay_').describe(
    'The payment. A cycle also has the names `inv_…` and `sub-pay-…` with the same ending.',
  ),
  merchantId,
  customerId: z.string().nullable().describe('The payer, if known.'),
  source: paymentSource.describe('`one_time`: a direct charge or a one-time checkout; `subscription`: a cycle.'),
  subscriptionId: z.string().nullable().describe('The subscription of a cycle.'),
  offerId: z.string().nullable().describe('The offer; `null` for a direct charge.'),
  priceId: z.string().nullable().describe('The pricing option; `null` for a direct charge.'),
  periodStart: moment.nullable().describe('The start of the paid period; only of a cycle.'),
  periodEnd: moment.nullable().describe('The end of the paid period, exclusive; only of a cycle.'),
  attempts: z.int().describe('The number of attempts.'),
  nextAttemptAt: moment
    .nullable()
    .describe(
      'The time of the next attempt of a failed cycle, or from which a mandate allows the last charge by use; else `null`.',
    ),
  idempotencyKey: storedKey,
  paymentMethod: paymentMethod.describe(
    'The way of the money: pulled from a wallet that has approved, or sent to a deposit address.',
  ),
  fromWallet: z.string().nullable().describe('The charged wallet.'),
  toWallet: z.string().nullable().describe('The paid address.'),
  amount: computedAmount.describe('The amount that the payer pays, in token units.'),
  platformAmount: computedAmount.describe("The service's fee, rounded down."),
  merchantAmount: computedAmount.describe('The amount that the merchant receives: `amount` less the fee.'),
  tokenKey: z.string().describe('The token of the charge.'),
  chainId: z.int().describe('The chain of the token.'),
  pullTxHash: txHash.describe('The transaction in which the payer was charged; `null` until it is mined.'),
  forwardTxHash: txHash.describe('The transaction in which the merchant was paid: normally the same.'),
  platformTransferTxHash: txHash.describe('The transaction in which the fee was paid: normally the same.'),
  distributeTxHash: txHash.describe('The transaction in which splits were paid; `null` without splits.'),
  status: paymentStatus.describe(
    '`pulled`: the charge is in a block. `settled`: that block is final. `failed`: no money has moved, or `failureReason` names the share that could not be delivered.',
  ),
  failureReason: failureReason.nullable().describe('Why it failed; `null` when it has not.'),
  blockedReason: blockedReasonField,
  isSandbox,
  affiliatePartnerId: z.string().nullable().describe('As sent.'),
  affiliateCommissionPct: z.string().nullable().describe('As sent, a decimal string; it moves no money.'),
  metadata: stringMap.describe("The merchant's own notes: string to string."),
  refundWallet: z
    .string()
    .nullable()
    .describe(
      'The receiver of money that a deposit does not use, as named when the payment was made. `null`: such money is held. At the checkout the payer can name or correct it later.',
    ),
  refundedAmount: computedAmount.describe(
    'The sum of all `settled` refunds by the merchant, in token units. It does not include the returned rest of a deposit.',
  ),
  receiptUrl: z
    .string()
    .nullable()
    .describe(
      "The payer's receipt as a page, for whoever has this address; it never changes. `null` until the payment is settled.",
    ),
  quantity: z
    .int()
    .nullable()
    .describe('The units that the cycle is for; `null` if its price has no quantity, and for a one-off payment.'),
  usage: z
    .strictObject({
      units: usagePeriod.shape.units.describe('The units, with those that are included.'),
      from: usagePeriod.shape.from.describe('When the cycle before opened, or the subscription began.'),
      to: usagePeriod.shape.to.describe('When this cycle opened.'),
    })
    .nullable()
    .describe('The use that a cycle of a metered price charges, by the time of its acceptance; else `null`.'),
  discount: z
    .strictObject({
      couponId: idSchema('cpn_').describe('The coupon.'),
      code: z.string().nullable().describe('Its code; `null` without one.'),
      amount: computedAmount.describe('In token units; `amount` is less by this.'),
    })
    .nullable()
    .describe('What a coupon takes off the price; `null` without one.'),
  credit: z
    .strictObject({
      amount: computedAmount.describe('In token units; `amount` is less by this.'),
      paymentId: idSchema('pay_').describe('The payment of the period whose unused part it is.'),
    })
    .nullable()
    .describe('The credit for unused time, of the first cycle after a change at once; else `null`.'),
  createdAt,
  updatedAt,
};

/**
 * Payment (reference, section 2), with additive fields: `nextAttemptAt`, `blockedReason`, `metadata`, `refundWallet`,
 * `refundedAmount`, `receiptUrl`, `quantity`, `usage`, `discount`, `credit`.
 */
export const paymentSchema = z.strictObject(fields);

/** The answer of POST /payments: for a `wallet_transfer`, with the deposit address and its end. */
export const createdPaymentSchema = z.strictObject({
  ...fields,
  depositAddress: z
    .string()
    .optional()
    .describe(
      'The address to which the payer sends the amount. Only for a pending `wallet_transfer`, and only in this answer.',
    ),
  depositExpiresAt: moment.optional().describe('The deadline of the deposit.'),
});

export type PaymentView = (doc: ActorDoc) => z.output<typeof paymentSchema>;

/** The view of payments, with the addresses of their receipts. */
export async function paymentViews(deps: Pick<HttpDeps, 'catalog' | 'receipts' | 'config'>): Promise<PaymentView> {
  const pathOf = await deps.receipts.paths();
  return (doc) => paymentView(doc, deps.catalog, (id) => `${deps.config.publicUrl}${pathOf(id)}`);
}

function paymentView(
  doc: ActorDoc,
  catalog: Catalog,
  receiptUrlOf: (id: string) => string,
): z.output<typeof paymentSchema> {
  const attributes = paymentAttributes.parse(doc.attributes);
  const { discount } = attributes;
  const context = paymentContextOf(doc);
  const inTokens = paymentUnits(doc, catalog);
  return {
    id: doc._id,
    merchantId: doc.merchantId,
    ...pick(attributes, 'customerId', 'source', 'subscriptionId', 'offerId', 'priceId'),
    periodStart: context.cycleOf?.periodStart ?? null,
    periodEnd: context.cycleOf?.periodEnd ?? null,
    attempts: context.attempt,
    nextAttemptAt: context.nextAttemptAt,
    ...pick(attributes, 'idempotencyKey', 'paymentMethod'),
    ...pick(context, 'fromWallet', 'toWallet'),
    amount: inTokens(context.amount),
    platformAmount: inTokens(attributes.platformAmount),
    merchantAmount: inTokens(attributes.merchantAmount),
    ...pick(attributes, 'tokenKey', 'chainId'),
    ...context.hashes,
    status: paymentStatusOf(doc),
    failureReason: context.failureReason,
    blockedReason: blockedReasonOf(context),
    isSandbox: doc.mode === 'test',
    ...pick(attributes, 'affiliatePartnerId', 'affiliateCommissionPct', 'metadata', 'refundWallet'),
    refundedAmount: inTokens(refundedUnits(context).toString()),
    receiptUrl: doc.status === 'settled' ? receiptUrlOf(doc._id) : null,
    ...orNull(attributes, 'quantity', 'usage'),
    discount: discount ? { couponId: discount.coupon, code: discount.code, amount: inTokens(discount.amount) } : null,
    credit: attributes.credit ? { ...attributes.credit, amount: inTokens(attributes.credit.amount) } : null,
    ...momentsOf(doc),
  };
}

/** With `depositAddress` and `depositExpiresAt` while a `wallet_transfer` is pending; without them otherwise. */
export function createdPaymentView(doc: ActorDoc, view: PaymentView): z.output<typeof createdPaymentSchema> {
  const { deposit } = paymentContextOf(doc);
  if (deposit === null || doc.status !== 'pending') return view(doc);
  return { ...view(doc), depositAddress: deposit.address, depositExpiresAt: deposit.expiresAt };
}
