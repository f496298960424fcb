import { z } from 'zod';
import { blockedReasonOf, isMigrationOver } from '../../../machines/subscription/changes.ts';
import type { SubscriptionContext } from '../../../machines/subscription/context.ts';
import { actorTime } from '../../engine/projection.ts';
import { affiliateOf } from '../../model/affiliate.ts';
import { dateOf } from '../../model/dates.ts';
import { subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { SubscriptionRecord } from '../services.ts';

const status = z.enum(['pending', 'active', 'past_due', 'canceled']);

/** A subscription as shown by its views at a real moment. */
export function subscriptionRecord(doc: ActorDoc, now: Date): SubscriptionRecord {
  const attributes = subscriptionAttributes.parse(doc.attributes);
  const context = subscriptionContextOf(doc);
  const { terms } = context;
  return {
    id: doc._id,
    merchantId: doc.merchantId,
    mode: doc.mode,
    offerId: attributes.offerId,
    offerPriceId: terms.priceId,
    offerName: attributes.offerName,
    priceAmount: terms.priceAmount,
    priceCurrency: terms.priceCurrency,
    customerId: attributes.customerId,
    chainId: terms.chainId,
    tokenKey: terms.tokenKey,
    status: status.parse(doc.status),
    currentPeriodEnd: dateOf(context.currentPeriodEnd),
    allowanceConfirmed: context.allowanceConfirmed,
    cyclesCompleted: context.cyclesCompleted,
    consecutiveFailures: context.consecutiveFailures,
    customVariables: context.customVariables,
    afterCompletion: attributes.afterCompletion,
    idempotencyKey: attributes.idempotencyKey,
    affiliate: affiliateOf(attributes),
    payerWallet: context.payerWallet,
    authorizationToken: null,
    cancelAt: dateOf(context.cancelAt),
    trialEnd: dateOf(context.trialEnd),
    pendingOfferPriceId: pendingPriceOf(context, actorTime(now, doc.clockOffsetMs)),
    blockedReason: blockedReasonOf(context),
    createdAt: doc.createdAt,
    updatedAt: doc.updatedAt,
  };
}

/**
 * The price of an open migration. One that nobody has authorized in its time changes nothing any more
 * (docs/rules.md, "Subscriptions": migrate).
 */
function pendingPriceOf(context: SubscriptionContext, now: string): string | null {
  return isMigrationOver(context, now) ? null : (context.migration?.terms.priceId ?? null);
}
