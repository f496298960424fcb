import { z } from 'zod';
import { blockedReasonOf } from '../../../machines/payment/changes.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { affiliateOf } from '../../model/affiliate.ts';
import { dateOf } from '../../model/dates.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { PaymentRecord } from '../services.ts';

const status = z.enum(['pending', 'pulled', 'settled', 'failed', 'canceled']);

/**
 * As `paymentRecord`, with the deposit address of a `wallet_transfer`: only for the answer of POST /payments (reference,
 * section 2: Payment).
 */
export function openedRecord(doc: ActorDoc, catalog: Catalog): PaymentRecord {
  const { deposit } = paymentContextOf(doc);
  const shown = deposit && { address: deposit.address, expiresAt: new Date(deposit.expiresAt) };
  return { ...paymentRecord(doc, catalog), deposit: shown };
}

/** A payment as shown by its views. Throws if its token is not in the catalog. */
export function paymentRecord(doc: ActorDoc, catalog: Catalog): PaymentRecord {
  const attributes = paymentAttributes.parse(doc.attributes);
  const context = paymentContextOf(doc);
  const token = catalog.tokenByKey(attributes.tokenKey);
  if (token === undefined) throw new Error(`payment ${doc._id} is in the unknown token ${attributes.tokenKey}`);
  return {
    id: doc._id,
    merchantId: doc.merchantId,
    mode: doc.mode,
    customerId: attributes.customerId,
    source: attributes.source,
    subscriptionId: attributes.subscriptionId,
    offerId: attributes.offerId,
    priceId: attributes.priceId,
    periodStart: dateOf(context.cycleOf?.periodStart ?? null),
    periodEnd: dateOf(context.cycleOf?.periodEnd ?? null),
    attempts: context.attempt,
    nextAttemptAt: dateOf(context.nextAttemptAt),
    idempotencyKey: attributes.idempotencyKey,
    paymentMethod: attributes.paymentMethod,
    fromWallet: context.fromWallet,
    toWallet: context.toWallet,
    amount: BigInt(context.amount),
    platformAmount: BigInt(attributes.platformAmount),
    merchantAmount: BigInt(attributes.merchantAmount),
    decimals: token.decimals,
    tokenKey: attributes.tokenKey,
    chainId: attributes.chainId,
    ...context.hashes,
    status: status.parse(doc.status),
    failureReason: context.failureReason,
    blockedReason: blockedReasonOf(context),
    affiliate: affiliateOf(attributes),
    metadata: attributes.metadata,
    refundWallet: attributes.refundWallet,
    createdAt: doc.createdAt,
    updatedAt: doc.updatedAt,
    deposit: null,
  };
}
