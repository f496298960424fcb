import type { Credit } from '../../../machines/effects.ts';
import { leftToRefund } from '../../../machines/payment/refunds.ts';
import { lessDiscount } from '../../../machines/rules/discount.ts';
import { later } from '../../../machines/rules/period.ts';
import { isDowngrade } from '../../../machines/rules/proration.ts';
import type { SubscriptionContext, Terms } from '../../../machines/subscription/context.ts';
import { changeRefusal, creditOf, isMidPeriod } from '../../../machines/subscription/migration.ts';
import { chargeDueAt } from '../../../machines/subscription/next-charge.ts';
import { actorTime } from '../../engine/projection.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import { isLive, subscriptionContextOf } from '../../model/subscription.ts';
import type { PlanChanges, PricingOption } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import { keptQuantity, termsOf } from './opening.ts';

/** Of cycles that overlap, only the last few can be of the running period. */
const NEWEST = 5;

/**
 * What the running period is worth: the part of its payment that was not given back, and the credit that this was less
 * by. null: no settled payment is of this period.
 */
export async function worthOfPeriod(store: Store, doc: ActorDoc): Promise<Credit | null> {
  const { currentPeriodEnd, movedBy = 0 } = subscriptionContextOf(doc);
  const payments = await tenantStore(store, doc).findActors('payment', {
    where: { 'attributes.subscriptionId': doc._id },
    sort: [['attributes.cycle', -1]],
    limit: NEWEST,
  });
  if (currentPeriodEnd === null) return null;
  // A payment keeps the period that it was for, also if a pause has moved the end.
  const paidUntil = later(currentPeriodEnd, -movedBy);
  const isOfPeriod = (payment: ActorDoc) => paymentContextOf(payment).cycleOf?.periodEnd === paidUntil;
  const paid = payments.find((payment) => payment.status === 'settled' && isOfPeriod(payment));
  if (paid === undefined) return null;
  const credited = BigInt(paymentAttributes.parse(paid.attributes).credit?.amount ?? '0');
  return { amount: (leftToRefund(paymentContextOf(paid)) + credited).toString(), paymentId: paid._id };
}

/** New terms, when they begin, and whether unused time is credited. */
export interface PlanChange {
  readonly terms: Terms;
  readonly when?: 'now';
  readonly proration?: 'credit';
}

/** What a change costs. Base units of the requested token. */
export interface ChangeQuote {
  /** When the new terms begin; null: as soon as they are authorized. */
  readonly at: string | null;
  /** The end of the paid period. */
  readonly paidUntil: string | null;
  readonly credit: bigint;
  /** The charge at the beginning if that is now; else 0. */
  readonly now: bigint;
  /** Each later charge. */
  readonly later: bigint;
}

/**
 * What a change of a paid subscription would cost at `now`, its own time. The machine decides anew at the moment of the
 * change, and the credit is less by then.
 */
export function quoteOf(
  context: SubscriptionContext,
  { terms, when, proration }: PlanChange,
  paid: Credit | null,
  now: string,
): ChangeQuote {
  const first = lessDiscount(context.discount, terms);
  const isFull = first === 0n || context.discount?.cyclesLeft === 1;
  const later = isFull ? BigInt(terms.amount) : first;
  const paidUntil = (context.pause ? chargeDueAt(context) : null) ?? context.currentPeriodEnd;
  const atEnd = { at: paidUntil, paidUntil, credit: 0n, now: 0n, later };
  if (when === undefined || !isMidPeriod(context, now)) return atEnd;
  const credited = proration === undefined ? 0n : creditOf(context, paid, now)?.amount;
  if (credited === undefined) return atEnd;
  const credit = BigInt(credited);
  return credit < first ? { at: null, paidUntil, credit, now: first - credit, later } : atEnd;
}

/** The quote of the migration that waits for its payer, or for its day; null: none does, or nothing is paid yet. */
export async function quoteOfMigration(store: Store, doc: ActorDoc, real: Date): Promise<ChangeQuote | null> {
  const context = subscriptionContextOf(doc);
  const { migration, anchor } = context;
  if (migration === null || anchor === null) return null;
  const paid = migration.proration === undefined ? null : await worthOfPeriod(store, doc);
  return quoteOf(context, migration, paid, actorTime(real, doc.clockOffsetMs));
}

const REFUSALS: { readonly [R in NonNullable<ReturnType<typeof changeRefusal>>]: string } = {
  not_paid: 'Nothing is paid yet; a change needs a paid period',
  open_cycle: 'A charge is open; a change needs it to be paid first',
  paused: 'This subscription is paused; a change needs it to be resumed first',
  ending: 'The end of this subscription is scheduled; a change needs that to be taken back first',
};

/** Why no other plan can be chosen at the moment; null: one can. */
export function whyNoChange(context: SubscriptionContext): string | null {
  const refusal = changeRefusal(context);
  return refusal && REFUSALS[refusal];
}

/** A pricing option that the customer may change to, and what that costs. */
export interface OwnChange {
  readonly option: PricingOption;
  readonly change: PlanChange;
  readonly quote: ChangeQuote;
}

/**
 * The options that the offer lets its customers change to, in the token that they pay in. More money begins when the
 * offer says; less money, and a shorter period, begin at the end of the paid one.
 */
export async function ownChanges(store: Store, doc: ActorDoc, real: Date): Promise<OwnChange[]> {
  const context = subscriptionContextOf(doc);
  const offer = await tenantStore(store, doc).record('offers', context.offerId);
  if (!offer?.planChanges || !isLive(doc) || changeRefusal(context) !== null) return [];
  const rules = offer.planChanges;
  const changes = offer.pricing.flatMap((option) => changeTo(option, context, rules) ?? []);
  const reads = changes.some(({ change: { proration } }) => proration === 'credit');
  const paid = reads ? await worthOfPeriod(store, doc) : null;
  const now = actorTime(real, doc.clockOffsetMs);
  return changes.map(({ option, change }) => {
    const quote = quoteOf(context, change, paid, now);
    return { option, quote, change: quote.at === null ? change : { terms: change.terms } };
  });
}

/** null: it is the present one, is not offered, does not take the present token, or is charged by use. */
function changeTo(option: PricingOption, { terms: present }: SubscriptionContext, rules: PlanChanges) {
  const { id, active, billing } = option;
  const isOffered = active && billing.type === 'recurring' && (rules.priceIds?.includes(id) ?? true);
  const token = option.acceptedTokens.find(({ tokenKey }) => tokenKey === present.tokenKey);
  if (id === present.priceId || !isOffered || token === undefined) return null;
  if (option.model?.kind === 'metered' || present.model?.kind === 'metered') return null;
  const terms = termsOf(option, token, keptQuantity(option, present));
  const isNow = rules.when === 'now' && !isDowngrade(present, terms);
  const isCredited = isNow && rules.proration === 'credit';
  const change: PlanChange = {
    terms,
    ...(isNow ? { when: 'now' } : {}),
    ...(isCredited ? { proration: 'credit' } : {}),
  };
  return { option, change };
}
