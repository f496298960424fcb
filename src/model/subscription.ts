import { z } from 'zod';
import { parseOnce } from '../../machines/parse-once.ts';
import {
  type SubscriptionContext,
  subscriptionContextParser,
  type Terms,
} from '../../machines/subscription/context.ts';
import { isMigrationOver } from '../../machines/subscription/migration.ts';
import { nextTerms } from '../../machines/subscription/next-charge.ts';
import { MACHINES } from '../../machines/versions.ts';
import { actorTime } from '../engine/projection.ts';
import { hasTag, type StoredState } from '../engine/step.ts';
import { newestState, type Versioned, versionOf } from '../engine/upcast.ts';
import type { ActorDoc } from '../store/documents.ts';

/** The attributes of a subscription, copied at its creation. */
const schema = z.strictObject({
  customerId: z.string(),
  offerId: z.string(),
  offerName: z.string(),
  afterCompletion: z.record(z.string(), z.json()),
  splits: z.array(z.strictObject({ address: z.string(), percentage: z.string() })),
  affiliatePartnerId: z.string().nullable(),
  affiliateCommissionPct: z.string().nullable(),
  /** The secret of the keys of its cycles' charges, on Solana; absent on EVM, where the ids alone give the key. */
  chargeSecret: z.string().exactOptional(),
  idempotencyKey: z.string().nullable(),
  requestHash: z.string(),
});
export type SubscriptionAttributes = z.infer<typeof schema>;

export const subscriptionAttributes = parseOnce(schema);

/**
 * The terms of the next charge: an open cycle keeps its own; any other has those of a migration that takes effect with
 * it.
 */
export function termsOfNextCharge(context: SubscriptionContext): Terms {
  return context.open === null ? nextTerms(context) : context.terms;
}

/**
 * A subscription's snapshot in its newest shape. Throws UnknownVersion if only newer code can read it, and ZodError if
 * it is invalid.
 */
export function subscriptionContextOf(doc: Versioned & StoredState): SubscriptionContext {
  return subscriptionContextParser.parse(newestState(MACHINES, doc).context);
}

/**
 * True while an attempt of the subscription is under way, or a started one is followed to its end. Throws an
 * UnknownVersion, and an Error for a state that the machine does not have.
 */
export function isInFlight(doc: Versioned & StoredState): boolean {
  return hasTag(versionOf(MACHINES, doc), doc, 'inFlight');
}

/** The statuses of a subscription that has not ended (docs/rules.md, "Offers": Live). */
export const LIVE_STATUSES = ['pending', 'active', 'past_due'] as const;

export function isLive({ status }: Pick<ActorDoc, 'status'>): boolean {
  return LIVE_STATUSES.some((live) => live === status);
}

/** It has ended, and has had a coupon. */
export function endedWithCoupon(doc: ActorDoc): boolean {
  return doc.kind === 'subscription' && doc.status === 'canceled' && subscriptionContextOf(doc).discount !== undefined;
}

const status = z.enum(['pending', 'active', 'past_due', 'canceled']);

export type SubscriptionStatus = z.infer<typeof status>;

export function subscriptionStatusOf(doc: Pick<ActorDoc, 'status'>): SubscriptionStatus {
  return status.parse(doc.status);
}

export type CustomVariables = { readonly [name: string]: string | number | boolean };

/** Whether the payer has agreed and the trial is running, by the subscription's own clock. `now` is real time. */
export function isTrialing(doc: ActorDoc, now: Date): boolean {
  const { trialStartedAt = null, trialEnd, anchor, open } = subscriptionContextOf(doc);
  if (!isLive(doc) || trialStartedAt === null || trialEnd === null || anchor !== null || open !== null) return false;
  return actorTime(now, doc.clockOffsetMs) < trialEnd;
}

/**
 * The price of an open migration; null without one. A migration that nobody has authorized in its time changes nothing
 * any more (docs/rules.md, "Subscriptions": migrate). `now` is real time.
 */
export function pendingPriceOf(doc: ActorDoc, now: Date): string | null {
  const context = subscriptionContextOf(doc);
  if (isMigrationOver(context, actorTime(now, doc.clockOffsetMs))) return null;
  return context.migration?.terms.priceId ?? null;
}
