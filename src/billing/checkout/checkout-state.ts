import type { JsonObject } from '../../../machines/json.ts';
import { isWatchable } from '../../../machines/subscription/changes.ts';
import type { SubscriptionContext } from '../../../machines/subscription/context.ts';
import { changeDueAt } from '../../../machines/subscription/next-charge.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Consent } from '../../chains/consent.ts';
import { actorTime } from '../../engine/projection.ts';
import { operatorConsent } from '../../model/consent.ts';
import { unitsLeft } from '../../model/offer.ts';
import { isAwaitingDeposit, paymentContextOf } from '../../model/payment.ts';
import { isInFlight, subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { CheckoutSessionDoc, MandateDoc, MerchantDoc, PermitDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { tenantStore } from '../../store/tenant.ts';
import { endedConsents, signedMandate } from '../mandates/mandates.ts';
import type { ReceiptPath } from '../receipts/links.ts';
import { lastPayment } from '../subscriptions/subscriptions.ts';
import type { CheckoutDeps } from './deps.ts';
import { chargeOfPayment, checkSessions, nextStep, type WaitsFor } from './pay.ts';
import { type PayerState, payerState } from './payer-state.ts';
import { type PermitToSign, permitOf, permitToSign } from './permits.ts';
import {
  nextChargeOf,
  type PurchaseCharge,
  type RequestedAllowance,
  requestedAllowance,
} from './requested-allowance.ts';
import { type SessionDeposit, sessionDeposit } from './session-deposit.ts';
import { findTokenOnChain } from './token-on-chain.ts';

/** `waiting`: for `waitsFor`. `charging`: a charge is under way. `ended`: no charge will follow. */
type Progress = 'waiting' | 'charging' | 'completed' | 'ended';

export interface Outcome {
  readonly progress: Progress;
  /** `signature`: the payer has revoked the agreement, and a wallet has to sign again. */
  readonly waitsFor: WaitsFor | 'signature' | null;
  readonly subscription: ActorDoc | null;
  /** The newest payment for it; null: there is none yet. */
  readonly payment: ActorDoc | null;
  /** The permit that was submitted last. */
  readonly permit: PermitDoc | null;
  /** The offer's setting at the signature; null until it is completed. */
  readonly afterCompletion: JsonObject | null;
  /** Of the payment, or of the agreement if nothing is paid yet; null until it is completed. */
  readonly receiptPath: ReceiptPath | null;
}

/** What a payer is asked for, and how far it is. */
export interface CheckoutState {
  readonly merchant: MerchantDoc;
  /** null: no enabled chain plays the token any more. */
  readonly allowance: RequestedAllowance | null;
  /** null: no wallet is known, or the chain does not answer. */
  readonly payer: PayerState | null;
  /** The limits that the payer has signed; null: none. */
  readonly mandate: MandateDoc | null;
  readonly outcome: Outcome;
}

/** The state of a session, as polled by its page. */
export interface SessionState extends CheckoutState {
  readonly session: CheckoutSessionDoc;
  /** The permit that the wallet can sign instead of an approve; null: none. */
  readonly permit: PermitToSign | null;
  /** The deposit of a payment by transfer; null: there is none, or the payment is pulled. */
  readonly deposit: SessionDeposit | null;
}

/** The charge that a wallet is to allow, and what the wallet has consented to. */
interface ChargeToAllow {
  readonly tokenKey: string;
  /** Absent: the wallet is to sign a mandate. */
  readonly consent?: Consent;
  readonly charge: PurchaseCharge;
  /** null: not known yet. */
  readonly wallet: string | null;
  /** The wallet that has signed here: the sum contains its other subscriptions, but those of no other wallet. */
  readonly signer: string | null;
}

/** The allowance to request for a charge, and the state of the wallet that gives it. */
export async function readAllowance(
  deps: CheckoutDeps,
  tenant: Tenant,
  { tokenKey, consent, charge, wallet, signer }: ChargeToAllow,
): Promise<Pick<CheckoutState, 'allowance' | 'payer'>> {
  const token = findTokenOnChain(deps, tenant, tokenKey, consent);
  if (token === null) return { allowance: null, payer: null };
  const allowance = await requestedAllowance(deps, tenant, token, charge, wallet === signer ? wallet : null);
  return { allowance, payer: wallet === null ? null : await payerState(deps, allowance, wallet) };
}

/** Checks the chain, advances the session, and returns its state. */
export function sessionState(
  deps: CheckoutDeps,
  session: CheckoutSessionDoc,
  merchant: MerchantDoc,
): Promise<SessionState> {
  return session.kind === 'payment'
    ? paymentState(deps, session, merchant)
    : subscriptionState(deps, session, merchant);
}

async function paymentState(
  deps: CheckoutDeps,
  session: CheckoutSessionDoc,
  merchant: MerchantDoc,
): Promise<SessionState> {
  await checkSessions(deps, [session._id]);
  const [now = session] = await deps.store.records.get('checkoutSessions', [session._id]);
  const { wallet } = now;
  const deposit = wallet === null ? await sessionDeposit(deps, now) : null;
  const { tokenKey } = now.terms;
  const consent = operatorConsent(now.consent);
  const { allowance, payer } = await readAllowance(deps, now, {
    tokenKey,
    consent,
    charge: chargeOfPayment(now),
    wallet,
    signer: wallet,
  });
  const outcome = await paymentOutcome(deps, now);
  const permit = allowance && outcome.progress === 'waiting' ? await permitToSign(deps, allowance, payer) : null;
  const mandate = await signedMandate(deps, now.consent);
  return { session: now, merchant, allowance, payer, permit, mandate, deposit, outcome };
}

async function paymentOutcome(deps: CheckoutDeps, session: CheckoutSessionDoc): Promise<Outcome> {
  const step = await nextStep(deps, session);
  const lastId = session.paymentIds.at(-1);
  const [last] = lastId === undefined ? [] : await deps.store.actors.load('payment', [lastId]);
  const payment = last ?? null;
  const permit = await permitOf(deps, session.permitId);
  const made = { subscription: null, payment, permit, receiptPath: null };
  switch (step.kind) {
    case 'follow':
      if (last && isAwaitingDeposit(last)) {
        const waitsFor = (await isSoldOut(deps, session, last)) ? 'sold_out' : 'deposit';
        return { ...made, progress: 'waiting', waitsFor, afterCompletion: null };
      }
      return { ...made, progress: 'charging', waitsFor: null, afterCompletion: null };
    case 'pay':
      return { ...made, progress: 'charging', waitsFor: null, afterCompletion: null };
    case 'wait':
      return { ...made, progress: 'waiting', waitsFor: step.for, afterCompletion: null };
    case 'close': {
      const isPaid = step.how === 'settled';
      const afterCompletion = isPaid ? session.terms.afterCompletion : null;
      const receiptPath = isPaid && payment !== null ? await deps.receipts.pathOf(payment._id) : null;
      const progress = isPaid ? 'completed' : 'ended';
      return { ...made, progress, waitsFor: null, afterCompletion, receiptPath };
    }
    default:
      return unknownCase(step, 'step');
  }
}

/** True if no unit is left for a payment that has not reserved one: its payer should send nothing. */
async function isSoldOut(
  { store }: CheckoutDeps,
  { offerId }: CheckoutSessionDoc,
  { _id }: ActorDoc,
): Promise<boolean> {
  const [offer] = await store.records.get('offers', [offerId]);
  return offer !== undefined && unitsLeft(offer) === 0 && !offer.holds.includes(_id);
}

async function subscriptionState(
  deps: CheckoutDeps,
  session: CheckoutSessionDoc,
  merchant: MerchantDoc,
): Promise<SessionState> {
  const id = session.subscriptionId;
  const doc = id === null ? null : await checkedIn(deps, session, id);
  if (doc === null) throw new Error(`${session._id} has no subscription`);
  const wallet = subscriptionContextOf(doc).payerWallet ?? session.wallet;
  const { terms, consent } = subscriptionContextOf(doc);
  const { allowance, payer } = await readAllowance(deps, session, {
    tokenKey: terms.tokenKey,
    consent: operatorConsent(consent),
    charge: nextChargeOf(doc, wallet, deps.clock()),
    wallet,
    signer: session.wallet,
  });
  const outcome = await subscriptionOutcome(deps, doc, payer, {
    permitId: session.permitId,
    isOwn: ({ status, createdAt }) => !session.isExisting || status !== 'settled' || createdAt >= session.createdAt,
  });
  const permit = allowance && outcome.progress !== 'ended' ? await permitToSign(deps, allowance, payer) : null;
  const mandate = await signedMandate(deps, consent);
  return { session, merchant, allowance, payer, permit, mandate, deposit: null, outcome };
}

/** Reads the subscription, after a check of the chain if that could change something. The chain need not answer. */
export async function checkedIn(deps: CheckoutDeps, tenant: Tenant, id: string): Promise<ActorDoc | null> {
  const mine = tenantStore(deps.store, tenant);
  const doc = await mine.actor('subscription', id);
  if (doc === null || !isWaitingForChain(subscriptionContextOf(doc))) return doc;
  await deps.watcher.check([id]).catch((error: unknown) => {
    deps.log.warn(
      { err: error, actor: id },
      'a chain does not answer; its checkout shows the subscription as of the last check',
    );
  });
  return mine.actor('subscription', id);
}

function isWaitingForChain(context: SubscriptionContext): boolean {
  if (context.ended !== null) return false;
  return context.authorizedAt === null || context.migration !== null || isWatchable(context);
}

/** The part of a subscription that a visit concerns. */
export interface Visit {
  readonly permitId: string | undefined;
  /** True if the payment can belong to this visit's agreement, not to an earlier one. */
  isOwn(payment: ActorDoc): boolean;
}

/** The outcome for a subscription that a wallet has signed. Leaves out a charge that another wallet has paid. */
export async function subscriptionOutcome(
  deps: CheckoutDeps,
  doc: ActorDoc,
  payer: PayerState | null,
  visit: Visit,
): Promise<Outcome> {
  const last = await lastPayment(deps, doc);
  const now = deps.clock();
  const { consent } = subscriptionContextOf(doc);
  const known = progressOf(doc, actorTime(now, doc.clockOffsetMs), payer);
  const end = known === 'waiting' || known === 'completed' ? (await endedConsents(deps, [consent]))(consent) : null;
  const progress = end === null ? known : 'waiting';
  const waitsFor =
    end === null ? waitsForOf(subscriptionContextOf(doc), payer) : end === 'revoked' ? 'signature' : 'allowance';
  const { afterCompletion } = subscriptionAttributes.parse(doc.attributes);
  const payment = last && isPaidByPayer(last, subscriptionContextOf(doc)) && visit.isOwn(last) ? last : null;
  const receiptOf = payment?.status === 'settled' ? payment : doc;
  return {
    progress,
    waitsFor: progress === 'waiting' ? waitsFor : null,
    subscription: doc,
    payment,
    permit: await permitOf(deps, visit.permitId),
    afterCompletion: progress === 'completed' ? afterCompletion : null,
    receiptPath: progress === 'completed' ? await deps.receipts.pathOf(receiptOf._id) : null,
  };
}

/** An unsettled payment is tried again with the present payer's wallet. */
function isPaidByPayer(payment: ActorDoc, { payerWallet }: SubscriptionContext): boolean {
  return payment.status !== 'settled' || paymentContextOf(payment).fromWallet === payerWallet;
}

/**
 * Completed: paid, or authorized during the trial. If the chain shows an allowance that the machine does not know yet,
 * the next check finds it and the charge follows, so nothing else is waited for. `now` is a moment of the
 * subscription's clock.
 */
function progressOf(doc: ActorDoc, now: string, payer: PayerState | null): Progress {
  const context = subscriptionContextOf(doc);
  const { authorizedAt, trialEnd, open, deferred, pastDueSince } = context;
  if (doc.status === 'canceled') return 'ended';
  if (open?.change !== undefined) return 'charging';
  if (changeDueAt(context) !== null) return deferred === null ? 'charging' : 'waiting';
  if (doc.status === 'active') return authorizedAt === null ? 'waiting' : 'completed';
  if (isInFlight(doc)) return 'charging';
  if (deferred !== null || open !== null || pastDueSince !== null) return 'waiting';
  const isInTrial = trialEnd !== null && now < trialEnd;
  if (authorizedAt === null) return payer?.missingAllowance === 0n && !isInTrial ? 'charging' : 'waiting';
  return isInTrial ? 'completed' : 'charging';
}

function waitsForOf({ deferred, authorizedAt }: SubscriptionContext, payer: PayerState | null): WaitsFor {
  if (payer === null) return deferred?.why ?? 'chain';
  if (payer.missingAllowance > 0n) return 'allowance';
  if (deferred !== null) return deferred.why;
  if (payer.missingBalance > 0n && authorizedAt !== null) return 'balance';
  return 'next_attempt';
}
