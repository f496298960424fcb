import { z } from 'zod';
import { blockedReasonOf, isMigrationOver } from '../../../machines/subscription/changes.ts';
import { type SubscriptionContext, subscriptionContextParser } from '../../../machines/subscription/context.ts';
import { MACHINES } from '../../../machines/versions.ts';
import { actorTime } from '../../engine/projection.ts';
import type { StoredState } from '../../engine/step.ts';
import { newestState, type Versioned } from '../../engine/upcast.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Affiliate, SubscriptionRecord } from '../services.ts';
import { subscriptionAttributes } from './attributes.ts';

const status = z.enum(['pending', 'active', 'past_due', 'canceled']);

/** Caches contexts by document, which never changes: computations over many subscriptions read each several times. */
const contexts = new WeakMap<object, SubscriptionContext>();

/**
 * A subscription's snapshot in its newest shape. Throws UnknownVersion if only newer code can read it, and ZodError if it is
 * invalid.
 */
export function contextOf(doc: Versioned & StoredState): SubscriptionContext {
  const known = contexts.get(doc);
  if (known) return known;
  const context = subscriptionContextParser.parse(newestState(MACHINES, doc).context);
  contexts.set(doc, context);
  return context;
}

/** A subscription as shown by its views at a real moment. */
export function subscriptionRecord(doc: ActorDoc, now: Date): SubscriptionRecord {
  const attributes = subscriptionAttributes.parse(doc.attributes);
  const context = contextOf(doc);
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

export function affiliateOf(from: {
  readonly affiliatePartnerId: string | null;
  readonly affiliateCommissionPct: string | null;
}): Affiliate | null {
  const { affiliatePartnerId: partnerId, affiliateCommissionPct: commissionPct } = from;
  return partnerId === null || commissionPct === null ? null : { partnerId, commissionPct };
}

export function dateOf(moment: string | null): Date | null {
  return moment === null ? null : new Date(moment);
}
