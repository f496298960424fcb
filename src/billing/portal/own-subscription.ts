import type { SubscriptionContext, Terms } from '../../../machines/subscription/context.ts';
import { isMigrationOver } from '../../../machines/subscription/migration.ts';
import { chargeDueAt, nextTerms, termsOfNext, unpaused } from '../../../machines/subscription/next-charge.ts';
import { actorTime } from '../../engine/projection.ts';
import { operatorConsent } from '../../model/consent.ts';
import { isLive, subscriptionContextOf } from '../../model/subscription.ts';
import type { CustomerDoc, MerchantDoc, PortalSubject, PricingOption } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import { type CheckoutState, checkedIn, readAllowance, subscriptionOutcome } from '../checkout/checkout-state.ts';
import type { CheckoutDeps } from '../checkout/deps.ts';
import { nextChargeOf } from '../checkout/requested-allowance.ts';
import { signedMandate } from '../mandates/mandates.ts';
import { ownPause, pauseOf } from '../subscriptions/pause.ts';
import { type ChangeQuote, type OwnChange, ownChanges, quoteOfMigration } from '../subscriptions/plan-changes.ts';
import { lastChargeFrom } from '../subscriptions/readiness.ts';
import { type UsageSoFar, usageIn } from '../subscriptions/usage.ts';
import { ownInvoiceParty } from './own.ts';

/** A subscription as its payer sees it, as of the last event. */
export interface OwnSubscription {
  readonly doc: ActorDoc;
  readonly merchant: MerchantDoc;
  readonly terms: Terms;
  /** null: no charge follows. */
  readonly next: NextCharge | null;
  /** It runs until the end of a period, so it can be ended then. */
  readonly hasEnd: boolean;
  /** null: it is not paused. */
  readonly pause: ReturnType<typeof pauseOf>;
  /** null: it has not ended. */
  readonly ended: SubscriptionContext['ended'];
}

/** The charge that comes next, by the subscription's clock. */
interface NextCharge {
  /** null: it is due already, or it waits for the payer's approval. */
  readonly at: string | null;
  readonly terms: Terms;
}

/** The same, with the present state of the chain. */
export interface OwnSubscriptionState extends OwnSubscription, CheckoutState {
  /** The prices of the offer, also retired ones. */
  readonly options: readonly PricingOption[];
  /** What the payer may change to now. */
  readonly changes: readonly OwnChange[];
  /** What a pause by the payer does to the end of the paid period; null: the payer cannot pause it now. */
  readonly pausesPeriodEnd: Awaited<ReturnType<typeof ownPause>>;
  /** The signed change that waits for its day, or for the approval; null: none. */
  readonly waiting: { readonly terms: Terms; readonly quote: ChangeQuote } | null;
  /** null: the price is not metered. */
  readonly usage: UsageSoFar | null;
  /** When the last use is charged if it ends now; null: at once. */
  readonly lastChargeAt: string | null;
  /** Whom invoices name; null: the payer cannot correct that here. */
  readonly invoicedTo: CustomerDoc | null;
}

export async function merchantsOf(
  { store }: { readonly store: Store },
  docs: readonly { readonly merchantId: string }[],
): Promise<(doc: { readonly merchantId: string }) => MerchantDoc> {
  const ids = [...new Set(docs.map(({ merchantId }) => merchantId))];
  const found = new Map((await store.records.get('merchants', ids)).map((merchant) => [merchant._id, merchant]));
  return ({ merchantId }) => {
    const merchant = found.get(merchantId);
    if (merchant === undefined) throw new Error(`merchant ${merchantId} does not exist`);
    return merchant;
  };
}

export function ownSubscription(doc: ActorDoc, merchant: MerchantDoc, now: Date): OwnSubscription {
  const context = subscriptionContextOf(doc);
  const { terms, ended } = context;
  return {
    doc,
    merchant,
    terms,
    next: nextCharge(doc, context),
    hasEnd: hasEnd(doc, now),
    pause: pauseOf(doc, now),
    ended,
  };
}

/** True if a period that is paid or free is running, or goes on when a pause ends. */
export function hasEnd(doc: ActorDoc, now: Date): boolean {
  const at = actorTime(now, doc.clockOffsetMs);
  const { currentPeriodEnd } = unpaused(subscriptionContextOf(doc), at);
  return isLive(doc) && currentPeriodEnd !== null && currentPeriodEnd > at;
}

function nextCharge(doc: ActorDoc, context: SubscriptionContext): NextCharge | null {
  const { open, cancelAt, trialEnd } = context;
  if (open?.notBefore !== undefined) return { at: open.notBefore, terms: context.terms };
  if (!isLive(doc)) return null;
  if (open !== null) return { at: null, terms: termsOfNext(context) };
  if (cancelAt !== null) return null;
  const at = chargeDueAt(context) ?? (context.pause ? null : trialEnd);
  const terms = nextTerms(context);
  const charge = terms.model?.kind === 'metered' ? terms : termsOfNext({ ...context, terms });
  return { at: doc.status === 'past_due' ? null : at, terms: charge };
}

/**
 * The chain is checked first if that could change something. Only a wallet that has signed in sees what its other
 * subscriptions need. `isOwn`: whether the payer may see this payment.
 */
export async function ownSubscriptionState(
  deps: CheckoutDeps,
  seen: ActorDoc,
  subject: PortalSubject,
  isOwn: (payment: ActorDoc) => boolean,
): Promise<OwnSubscriptionState> {
  const doc = (await checkedIn(deps, seen, seen._id)) ?? seen;
  const { offerId, terms, consent, payerWallet } = subscriptionContextOf(doc);
  const merchant = (await merchantsOf(deps, [doc]))(doc);
  const { allowance, payer } = await readAllowance(deps, doc, {
    tokenKey: terms.tokenKey,
    consent: operatorConsent(consent),
    charge: nextChargeOf(doc, payerWallet, deps.clock()),
    wallet: payerWallet,
    signer: subject.kind === 'wallet' ? payerWallet : null,
  });
  const waiting = await waitingChange(deps, doc);
  const mandate = await signedMandate(deps, consent);
  const usage = await usageIn(deps, doc);
  return {
    ...ownSubscription(doc, merchant, deps.clock()),
    waiting,
    options: (await tenantStore(deps.store, doc).record('offers', offerId))?.pricing ?? [],
    changes: waiting === null ? await ownChanges(deps.store, doc, deps.clock()) : [],
    allowance,
    payer,
    mandate,
    pausesPeriodEnd: await ownPause(deps.store, doc, deps.clock()),
    usage,
    lastChargeAt: lastChargeFrom(subscriptionContextOf(doc), mandate, deps.clock()) ?? usage?.waitsUntil ?? null,
    invoicedTo: await ownInvoiceParty(deps, subject, merchant, doc),
    outcome: await subscriptionOutcome(deps, doc, payer, { permitId: undefined, isOwn }),
  };
}

async function waitingChange({ store, clock }: CheckoutDeps, doc: ActorDoc): Promise<OwnSubscriptionState['waiting']> {
  const context = subscriptionContextOf(doc);
  const { migration } = context;
  const now = actorTime(clock(), doc.clockOffsetMs);
  if (migration === null || migration.wallet === null || isMigrationOver(context, now)) return null;
  const quote = await quoteOfMigration(store, doc, clock());
  return quote && { terms: migration.terms, quote };
}
