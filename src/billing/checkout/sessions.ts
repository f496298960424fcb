import { z } from 'zod';
import type { Discount } from '../../../machines/rules/discount.ts';
import { conflict, Fault, invalid, notFound } from '../../errors/fault.ts';
import { consentIn, newChargeSecret, operatorConsent } from '../../model/consent.ts';
import { requestHash } from '../../model/request-hash.ts';
import { secretHash } from '../../model/secrets.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import type {
  CheckoutCollected,
  CheckoutSessionDoc,
  MerchantDoc,
  OfferDoc,
  PricingOption,
} from '../../store/collections.ts';
import type { ActorDoc, Mode, Tenant } from '../../store/documents.ts';
import { redeemOnce } from '../coupons/redemptions.ts';
import { readerOf } from '../customers/changes.ts';
import { chainOf, requirePayoutAddress } from '../payout/payout-address.ts';
import type { BudgetHolder } from '../resources/budgets.ts';
import type { Created } from '../resources/idempotency.ts';
import { setDiscount } from '../subscriptions/discount.ts';
import { termsOf } from '../subscriptions/opening.ts';
import { changeQuantity } from '../subscriptions/quantity.ts';
import { completePurchase, replacesIn, type Signed } from './complete.ts';
import type { CheckoutDeps } from './deps.ts';
import { activeMerchant, type Choice, type Chosen, chosenOf, type PublicOffer } from './offer.ts';
import { discountOfTransfer, purchaseOfOption } from './offer-purchase.ts';
import { chargeOfPayment, checkSessions, watchSession } from './pay.ts';
import { customerOf } from './payer.ts';
import { checkPermit, type GivenPermit } from './permits.ts';
import type { Purchase } from './purchase.ts';
import { nextChargeOf, requestedAllowance } from './requested-allowance.ts';
import { checkFirst, overtaken } from './send-signature.ts';
import { authorizePayer, subscriptionFor } from './subscribe.ts';
import { requireTokenOnChain } from './token-on-chain.ts';

/** How long after its signature a payment may be made: a later approval is not meant for it. */
const PAYABLE_MS = 24 * 3_600_000;

/** How long the page can read the outcome. */
const REMEMBERED_MS = 30 * 24 * 3_600_000;

export type SessionKind = CheckoutSessionDoc['kind'];

/** A checked POST …/subscriptions or …/payments. */
export interface OpenSession extends Chosen {
  /** null: a `wallet_transfer`, which needs no signature. */
  readonly signed: Signed | null;
  readonly sessionKey: string;
  readonly collected: CheckoutCollected;
  /** Of the page; absent: it named none. */
  readonly language?: string;
  /** The time zone of the browser. */
  readonly timeZone?: string;
  readonly refundWallet: string | null;
}

/** Limits how many new sessions a visitor opens in a day (docs/rules.md, "Limits"). */
export interface CountsSessions {
  /** Counts a session of this wallet, which has signed, or with null of the visitor's IP address. Throws 429. */
  readonly countPaymentSession: (wallet: string | null) => Promise<void>;
  /** Counts a sign-up at this merchant from the visitor's network. Throws 429. */
  readonly countSignUp: (merchant: BudgetHolder, mode: Mode) => Promise<void>;
}

const jsonObject = z.record(z.string(), z.json());

function sessionIdOf(sessionKey: string): string {
  return `ses_${secretHash(sessionKey)}`;
}

/**
 * Returns the session of this key, or creates it once the wallet has signed (docs/rules.md, "Checkout API": nothing
 * exists before). The first of concurrent calls decides. Throws 400, 409, and what `visitor` throws for a new session,
 * which makes the service watch an address or a wallet.
 */
export async function openSession(
  deps: CheckoutDeps,
  { offer, merchant }: PublicOffer,
  kind: SessionKind,
  input: OpenSession,
  visitor: CountsSessions,
): Promise<Created<CheckoutSessionDoc>> {
  const id = sessionIdOf(input.sessionKey);
  const earlier = await earlierOf(deps, offer, kind, id, input);
  if (earlier !== null) return withPermit(deps, earlier, input.signed?.permit ?? null);
  const chosen = chosenOf(offer, input, deps.clock());
  const { option, token } = chosen;
  requireKind(option, kind);
  const tokenOnChain = requireTokenOnChain(deps, offer, token.tokenKey);
  const refundWallet =
    input.refundWallet === null
      ? null
      : await requirePayoutAddress(deps, offer, chainOf(tokenOnChain.requested), input.refundWallet, 'refundWallet');
  const { signed } = input;
  if (signed === null && kind === 'subscription') {
    throw invalid('paymentMethod must be wallet_connect: a subscription is charged from an allowance');
  }
  const bought = { offer, merchant, ...chosen, coupon: input.coupon };
  const purchase = signed && (await purchaseOfOption(deps, bought, tokenOnChain, signed.address));
  const discount = purchase === null ? await discountOfTransfer(deps, bought) : purchase.terms.discount;
  const less = kind === 'payment' ? lessIn(discount) : couponIn(purchase);
  const used = purchase && (await completePurchase(deps, purchase, signed, id));
  const permit = used?.permit ?? null;
  const wallet = used?.challenge.wallet ?? null;
  if (kind === 'payment') await visitor.countPaymentSession(wallet);
  if (kind !== 'payment' || less.discount !== undefined) await visitor.countSignUp(merchant, offer.mode);
  await permit?.submit();
  const made: CheckoutSessionDoc = {
    ...sessionOf(deps, id, { offer, ...chosen, ...less }, kind, { ...input, refundWallet }, wallet),
    ...newChargeSecret(tokenOnChain.requested.family),
    ...consentIn(used?.consent),
    ...replacesIn(used?.replaces),
    ...(permit === null ? {} : { permitId: permit.id }),
  };
  const [verdict] = await deps.store.records.insert('checkoutSessions', [made]);
  if (verdict?.inserted) return { resource: await complete(deps, made), replayed: false, mismatch: false };
  const twin = await earlierOf(deps, offer, kind, id, input);
  // Only an overtaken one is removed.
  if (twin === null) throw overtaken();
  return twin;
}

/**
 * Returns the session, after completing what its creator left undone; reads no chain otherwise. Throws 404 for a key
 * that is unknown or no longer remembered, and for a suspended merchant.
 */
export async function requireSession(
  deps: CheckoutDeps,
  sessionKey: string,
): Promise<{ readonly session: CheckoutSessionDoc; readonly merchant: MerchantDoc }> {
  const [session] = await deps.store.records.get('checkoutSessions', [sessionIdOf(sessionKey)]);
  if (!session || session.purgeAt <= deps.clock()) throw notFound();
  const merchant = await activeMerchant(deps.store, session.merchantId);
  return { session: await complete(deps, session), merchant };
}

/** Adds a new permit to an existing session: the payer has no gas after all, or the first permit failed. */
async function withPermit(
  deps: CheckoutDeps,
  opened: Created<CheckoutSessionDoc>,
  given: GivenPermit | null,
): Promise<Created<CheckoutSessionDoc>> {
  const session = opened.resource;
  const { subscriptionId, wallet } = session;
  if (given === null || wallet === null || session.closed !== null) return opened;
  const tokenOnChain = requireTokenOnChain(deps, session, session.terms.tokenKey, operatorConsent(session.consent));
  const [doc] = subscriptionId === null ? [] : await deps.store.actors.load('subscription', [subscriptionId]);
  const allowance = await requestedAllowance(
    deps,
    session,
    tokenOnChain,
    doc === undefined ? chargeOfPayment(session) : nextChargeOf(doc, wallet, deps.clock()),
    wallet,
  );
  const permit = await checkPermit(deps, session, allowance, wallet, given);
  if (permit.id === session.permitId) return opened;
  await permit.submit();
  const change = { set: { permitId: permit.id }, inc: { rev: 1 } };
  const noted = await deps.store.records.change('checkoutSessions', session._id, {}, change);
  return { ...opened, resource: noted ?? session };
}

/** Throws 409 if the key belongs to another offer or another kind of session. */
async function earlierOf(
  deps: CheckoutDeps,
  offer: OfferDoc,
  kind: SessionKind,
  id: string,
  input: OpenSession,
): Promise<Created<CheckoutSessionDoc> | null> {
  const [session] = await deps.store.records.get('checkoutSessions', [id]);
  if (!session) return null;
  if (session.offerId !== offer._id || session.kind !== kind) throw conflict('sessionKey already used');
  const mismatch = session.requestHash !== hashOf(input);
  return { resource: await complete(deps, session), replayed: true, mismatch };
}

function requireKind({ billing }: PricingOption, kind: SessionKind): void {
  if (kind === 'subscription' && billing.type !== 'recurring') {
    throw invalid('priceId is a one-time pricing option; expected a recurring one');
  }
  if (kind === 'payment' && billing.type !== 'one_time') {
    throw invalid('priceId is a recurring pricing option; expected a one-time one');
  }
}

/** Hashes the request without text and signature, which differ whenever it is repeated. */
function hashOf({ priceId, tokenKey, quantity, coupon, signed, collected, refundWallet }: OpenSession): string {
  const address = signed?.address.toLowerCase() ?? null;
  const varied = { quantity: quantity ?? undefined, coupon: coupon ?? undefined };
  return requestHash({ priceId, tokenKey, ...varied, address, collected, refundWallet });
}

function sessionOf(
  { clock }: CheckoutDeps,
  id: string,
  { offer, option, token, quantity, ...less }: Choice & Less & { readonly offer: OfferDoc },
  kind: SessionKind,
  input: OpenSession,
  wallet: string | null,
): CheckoutSessionDoc {
  const createdAt = clock();
  const { merchantId, mode }: Tenant = offer;
  return {
    _id: id,
    merchantId,
    mode,
    rev: 1,
    kind,
    offerId: offer._id,
    terms: {
      offerName: offer.name,
      priceId: option.id,
      tokenKey: token.tokenKey,
      chainId: token.chainId,
      amount: quantity === null ? token.amountBaseUnits : termsOf(option, token, quantity).amount,
      ...(quantity === null ? {} : { quantity }),
      ...less,
      splits: offer.splitEvm,
      destination: option.merchantDestinationWallet,
      afterCompletion: jsonObject.parse(offer.afterCompletion),
    },
    wallet,
    message: input.signed?.message ?? null,
    signature: input.signed?.signature ?? null,
    collected: input.collected,
    ...readerOf(input),
    refundWallet: input.refundWallet,
    requestHash: hashOf(input),
    customerId: null,
    subscriptionId: null,
    isExisting: false,
    paymentIds: [],
    closed: null,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + PAYABLE_MS),
    purgeAt: new Date(createdAt.getTime() + REMEMBERED_MS),
  };
}

type Less = Pick<CheckoutSessionDoc['terms'], 'couponId' | 'discount'>;

function lessIn(discount: Discount | undefined): Less {
  return discount === undefined ? {} : { discount };
}

function couponIn(purchase: Purchase | null): Less {
  const of = purchase?.of;
  return of?.kind === 'offer' && of.couponId !== undefined ? { couponId: of.couponId } : {};
}

/** Creates whatever the session lacks, also after its creator died, and checks the chain at once. */
async function complete(deps: CheckoutDeps, session: CheckoutSessionDoc): Promise<CheckoutSessionDoc> {
  if (session.customerId !== null) return session;
  const tokenOnChain = requireTokenOnChain(deps, session, session.terms.tokenKey);
  const customer = await customerOf(deps, session, tokenOnChain.requested.family);
  if (session.kind === 'payment') {
    await watchSession(deps, session);
    await orNothing(deps, session, () => redeemFor(deps, session, customer._id));
    const paying = await note(deps, session, { customerId: customer._id });
    await checkSessions(deps, [session._id]);
    return paying;
  }
  const [offer] = await deps.store.records.get('offers', [session.offerId]);
  if (!offer) throw notFound();
  const subscribed = await orNothing(deps, session, () => subscriptionFor(deps, session, offer, customer));
  if (subscribed === null) return dropSession(deps, session);
  const { subscription, isExisting } = subscribed;
  if (isExisting) await agreeOnQuantity(deps, session, subscription);
  if (isExisting) await orNothing(deps, session, () => giveCoupon(deps, session, subscription));
  if (isExisting && !(await authorizePayer(deps, subscription, session))) return dropSession(deps, session);
  const found = { customerId: customer._id, subscriptionId: subscription._id, isExisting };
  const subscribing = await note(deps, session, found);
  await checkFirst(deps, subscription);
  return subscribing;
}

/**
 * The wallet has signed for this quantity. Throws 409 if its existing subscription has another one that it cannot
 * change now; then nothing has come of the session.
 */
async function agreeOnQuantity(deps: CheckoutDeps, session: CheckoutSessionDoc, subscription: ActorDoc): Promise<void> {
  const { quantity } = session.terms;
  const { model } = subscriptionContextOf(subscription).terms;
  if (quantity === undefined || model?.kind !== 'per_unit' || model.quantity === quantity) return;
  try {
    if (model.quantityChangedBy === 'merchant') throw conflict(`its merchant has set ${model.quantity}`);
    await changeQuantity(deps, session, subscription._id, { quantity, idempotencyKey: null }, 'checkout');
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    await deps.store.records.remove('checkoutSessions', [session._id]);
    throw conflict(
      `This wallet has a subscription of ${model.quantity} units to this price already, and ${quantity} cannot be set now: ${error.message}`,
    );
  }
}

/** The coupon of the session is for its existing subscription, on which nothing is paid yet. */
async function giveCoupon(deps: CheckoutDeps, session: CheckoutSessionDoc, { _id }: ActorDoc): Promise<void> {
  const { couponId } = session.terms;
  if (couponId !== undefined) await setDiscount(deps, session, _id, couponId, 'checkout');
}

/** After the watch, whose last check gives it back. A session that has closed meanwhile makes no payment. */
async function redeemFor({ store, clock }: CheckoutDeps, session: CheckoutSessionDoc, customerId: string) {
  const { _id, closed, terms } = session;
  if (terms.discount !== undefined && closed === null)
    await redeemOnce({ store, clock }, terms.discount.couponId, _id, customerId);
}

/** Refused, for example because the last redemption of a coupon is gone: then nothing has come of the session. */
async function orNothing<T>({ store }: CheckoutDeps, { _id }: CheckoutSessionDoc, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Fault && error.code !== 'internal') await store.records.remove('checkoutSessions', [_id]);
    throw error;
  }
}

/** Nothing has come of it, so the page can sign another text with the same key. */
async function dropSession({ store }: CheckoutDeps, { _id }: CheckoutSessionDoc): Promise<never> {
  await store.records.remove('checkoutSessions', [_id]);
  throw overtaken();
}

/** Concurrent calls find the same values, so the first write may win. */
async function note(
  { store }: CheckoutDeps,
  session: CheckoutSessionDoc,
  found: Partial<Pick<CheckoutSessionDoc, 'customerId' | 'subscriptionId' | 'isExisting'>>,
): Promise<CheckoutSessionDoc> {
  const change = { set: { ...found }, inc: { rev: 1 } };
  const noted = await store.records.change('checkoutSessions', session._id, { customerId: null }, change);
  if (noted !== null) return noted;
  const [stored] = await store.records.get('checkoutSessions', [session._id]);
  if (!stored) throw notFound();
  return stored;
}
