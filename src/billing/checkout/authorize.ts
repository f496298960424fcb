import type { PayerConsent } from '../../../machines/consent.ts';
import { lessDiscount } from '../../../machines/rules/discount.ts';
import type { Terms } from '../../../machines/subscription/context.ts';
import { migrationConsent } from '../../../machines/subscription/next-charge.ts';
import type { Consent } from '../../chains/consent.ts';
import { conflict, Fault, invalid, notFound } from '../../errors/fault.ts';
import { operatorConsent } from '../../model/consent.ts';
import { paymentAttributes } from '../../model/payment.ts';
import { secretHash } from '../../model/secrets.ts';
import { isLive, subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { CheckoutChallengeDoc, MerchantDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { requireTaken } from '../actors/refusals.ts';
import type { UpcomingCharge } from '../allowances/upcoming-charges.ts';
import { fillCustomer, type Reader } from '../customers/changes.ts';
import { endedConsents, signedMandate } from '../mandates/mandates.ts';
import { type Authorization, findAuthorization } from '../subscriptions/authorizations.ts';
import { type ChangeQuote, quoteOfMigration } from '../subscriptions/plan-changes.ts';
import { type CheckoutState, checkedIn, readAllowance, subscriptionOutcome } from './checkout-state.ts';
import { completePurchase, type Signed } from './complete.ts';
import type { CheckoutDeps } from './deps.ts';
import { limitsOf } from './mandate.ts';
import { activeMerchant } from './offer.ts';
import { type CheckedGiven, type PermitToSign, permitToSign } from './permits.ts';
import { type Purchase, type PurchaseTerms, type Rhythm, walletAt } from './purchase.ts';
import { chargeOf } from './requested-allowance.ts';
import { checkFirst, overtaken, type SignatureEvent, sendSignature } from './send-signature.ts';
import { requireTokenOnChain, type TokenOnChain } from './token-on-chain.ts';
import { trialDaysLeft } from './trial.ts';

const NEEDED = { name: 'authorization', needs: 'pending, active or past_due' } as const;

/** The purpose of a link and its progress. */
export interface AuthorizationState extends CheckoutState {
  readonly kind: 'subscription' | 'migration';
  readonly isSandbox: boolean;
  /** The terms to authorize; for a migration, the new ones. */
  readonly terms: PurchaseTerms & { readonly recurring: Rhythm };
  readonly tokenKey: string;
  readonly chainId: number;
  /** The wallet that has signed; null: none yet. */
  readonly signedBy: string | null;
  /** The wallet that pays has signed at this link. Otherwise nobody has agreed to anything here. */
  readonly isSigned: boolean;
  /** A wallet has signed, and the allowance has covered the charge since. */
  readonly isAuthorized: boolean;
  readonly expiresAt: Date;
  /** The permit that the wallet can sign instead of an approve; null: none, or no wallet is known. */
  readonly permit: PermitToSign | null;
  /** What new terms cost and when they begin; null: they have begun, or nothing is paid yet. */
  readonly quote: ChangeQuote | null;
}

interface Link extends Authorization {
  readonly id: string;
  readonly merchant: MerchantDoc;
  /** The mandate signed at it allows no charge any more, so the payer has to sign again. */
  readonly isOver: boolean;
}

/** Throws 404 for a token that is unknown, has expired or has been replaced, and for a suspended merchant. */
async function findLink(deps: CheckoutDeps, token: string): Promise<Link> {
  const found = await findAuthorization(deps, token);
  if (found === null) throw notFound();
  const merchant = await activeMerchant(deps.store, found.subscription.merchantId);
  const consent = consentOf(found);
  return {
    ...found,
    id: secretHash(token),
    merchant,
    isOver: (await endedConsents(deps, [consent]))(consent) !== null,
  };
}

/** The subscription of a link, the token in which its terms are paid, and the consent to them. Throws 404. */
export async function linkedToken(
  deps: CheckoutDeps,
  token: string,
): Promise<{ readonly subscription: ActorDoc; readonly tokenKey: string; readonly consent?: Consent }> {
  const link = await findLink(deps, token);
  return { subscription: link.subscription, tokenKey: termsOf(link).tokenKey, ...signedConsent(link) };
}

/** Checks the chain if that could change something, and returns the state of the link. */
export async function authorizationState(deps: CheckoutDeps, token: string): Promise<AuthorizationState> {
  const before = await findLink(deps, token);
  await checkedIn(deps, before.subscription, before.subscription._id);
  const link = await findLink(deps, token);
  const { subscription, purpose, merchant, expiresAt } = link;
  const terms = termsOf(link);
  const { signedBy, isSigned, isAuthorized } = signatureOf(link);
  const wallet = signedBy ?? subscriptionContextOf(subscription).payerWallet;
  const quote = purpose.kind === 'migration' ? await quoteOfMigration(deps.store, subscription, deps.clock()) : null;
  const { allowance, payer } = await readAllowance(deps, subscription, {
    tokenKey: terms.tokenKey,
    ...signedConsent(link),
    charge: chargeOf(subscription, kindOf(link), deps.clock(), quote),
    wallet,
    signer: link.signedBy ?? null,
  });
  const outcome = await subscriptionOutcome(deps, subscription, payer, {
    permitId: link.permitId,
    isOwn: (payment) => purpose.kind === 'subscription' || isOf(terms, paymentAttributes.parse(payment.attributes)),
  });
  return {
    kind: purpose.kind,
    merchant,
    isSandbox: subscription.mode === 'test',
    terms: shownTerms(deps, subscription, terms),
    tokenKey: terms.tokenKey,
    chainId: terms.chainId,
    signedBy,
    isSigned,
    isAuthorized,
    expiresAt,
    allowance,
    payer,
    permit: allowance && outcome.progress !== 'ended' ? await permitToSign(deps, allowance, payer) : null,
    mandate: isSigned ? await signedMandate(deps, consentOf(link)) : null,
    outcome,
    quote,
  };
}

/**
 * The purchase at a link. Throws 404, 400 for a wrong address, and 409 if there is nothing left to authorize, or if
 * another wallet pays the subscription.
 */
export async function purchaseOfLink(deps: CheckoutDeps, token: string, address: string): Promise<Purchase> {
  const link = await findLink(deps, token);
  requireOpen(link);
  const purchase = await purchaseAt(deps, link, address);
  requirePayer(link, purchase.wallet);
  return purchase;
}

async function purchaseAt(deps: CheckoutDeps, link: Link, address: string): Promise<Purchase> {
  const { subscription, merchant, purpose } = link;
  const terms = termsOf(link);
  const { priceId, tokenKey } = terms;
  const token = requireTokenOnChain(deps, subscription, tokenKey);
  const now = deps.clock();
  const isMigration = purpose.kind === 'migration';
  const quote = isMigration ? await quoteOfMigration(deps.store, subscription, now) : null;
  const charge = chargeOf(subscription, kindOf(link), now, quote);
  const shown = shownTerms(deps, subscription, terms);
  return {
    tenant: subscription,
    of: {
      kind: 'link',
      linkId: link.id,
      priceId,
      tokenKey,
      ...(terms.model === undefined && shown.discount === undefined ? {} : { amount: amountOf(link) }),
    },
    token,
    wallet: walletAt(token, address),
    merchantName: merchant.name,
    terms: shown,
    isMigration,
    isAtOnce: quote !== null && quote.at === null,
    paid: null,
    charge,
    limits: limitsOf(subscription, kindOf(link), now),
    // Without the token: the text is stored, but of a token only the hash may be.
    path: '/checkout/authorize',
  };
}

/**
 * Makes the signing wallet the payer: of a subscription at once, of new terms when they take effect. It becomes the
 * customer's wallet if the customer has none of its family. Idempotent, also after another wallet has authorized.
 * Throws 400 and 409.
 */
export async function authorizeLink(
  deps: CheckoutDeps,
  token: string,
  signed: Signed,
  reader: Reader = {},
): Promise<void> {
  const link = await findLink(deps, token);
  const { subscription } = link;
  const purchase = await purchaseAt(deps, link, signed.address);
  const user = secretHash(`${link.id}:${signed.signature}`);
  const { challenge, permit, ...consented } = await completePurchase(deps, purchase, signed, user);
  if (challenge.doneAt !== null) return givePermit(deps, link, permit);
  // The checks above may have read a chain, and that takes time: read the link again.
  const now = await findLink(deps, token);
  requireOpen(now);
  requireSameTerms(challenge, now);
  const { wallet } = challenge;
  requirePayer(now, wallet);
  const event = eventOf(now, { wallet, ...consented });
  const result = await sendSignature(deps, subscription._id, event);
  if (result.kind === 'overtaken') throw overtaken();
  requireTaken(result, NEEDED);
  // A confirmation is for one new payer.
  const usedUp = isPayer(now, wallet) ? {} : { newPayerUntil: deps.clock() };
  await deps.store.records.change('authorizations', link.id, {}, { set: { signedBy: wallet, ...usedUp } });
  await givePermit(deps, link, permit);
  await linkCustomer(deps, subscription, purchase.token, wallet, reader);
  // Last, so that a repeated request completes whatever is missing.
  await noteDone(deps, challenge);
  await checkFirst(deps, subscription);
}

async function givePermit({ store }: CheckoutDeps, link: Link, permit: CheckedGiven | null): Promise<void> {
  if (permit === null || permit.id === link.permitId) return;
  await permit.submit();
  await store.records.change('authorizations', link.id, {}, { set: { permitId: permit.id } });
}

function eventOf(
  { purpose }: Link,
  payer: { readonly wallet: string; readonly consent?: PayerConsent; readonly replaces?: string[] },
): SignatureEvent {
  return { type: purpose.kind === 'subscription' ? 'payer.authorized' : 'migration.signed', ...payer };
}

function requireOpen({ subscription, isDone }: Link): void {
  if (!isLive(subscription)) requireTaken({ kind: 'refused', doc: subscription }, NEEDED);
  if (isDone) throw conflict('The new terms apply already; authorization needs an open migration');
}

/**
 * Throws 409 for another wallet than that of the payer, without the confirmation of the payer or the merchant: whoever
 * has a link could put an empty wallet in the payer's position. Before the first authorization or charge there is no
 * payer yet.
 */
function requirePayer(link: Link, wallet: string): void {
  const { payerWallet, authorizedAt, anchor } = subscriptionContextOf(link.subscription);
  const hasPayer = payerWallet !== null && (authorizedAt !== null || anchor !== null);
  if (!hasPayer || link.takesNewPayer || isPayer(link, wallet)) return;
  throw conflict(
    `Another wallet pays this subscription: ${payerWallet}. It, or the merchant, has to confirm that another one pays`,
  );
}

/** True for the wallet that pays, or that has signed the new terms of this link. */
function isPayer({ subscription, purpose }: Link, wallet: string): boolean {
  const { payerWallet, migration } = subscriptionContextOf(subscription);
  return wallet === payerWallet || (purpose.kind === 'migration' && wallet === migration?.wallet);
}

/** Throws 400 if terms or quantity have changed since the text was issued: its signer has not agreed to these. */
function requireSameTerms({ purpose }: CheckoutChallengeDoc, link: Link): void {
  const terms = termsOf(link);
  const signed = purpose.kind === 'link' ? purpose.amount : undefined;
  if (isOf(terms, purpose) && (signed === undefined || signed === amountOf(link))) return;
  throw invalid('message names terms that have changed; ask for a new challenge and sign it unchanged');
}

/** What a charge takes after its discount. */
function amountOf(link: Link): string {
  return lessDiscount(subscriptionContextOf(link.subscription).discount, termsOf(link)).toString();
}

function isOf(
  terms: Terms,
  { priceId, tokenKey }: { readonly priceId: string | null; readonly tokenKey: string },
): boolean {
  return terms.priceId === priceId && terms.tokenKey === tokenKey;
}

function termsOf(link: Link): Terms {
  const { terms, migration } = subscriptionContextOf(link.subscription);
  return kindOf(link) === 'migration' ? (migration?.terms ?? terms) : terms;
}

/** Once new terms have taken effect, they are the subscription's present terms. */
function kindOf({ purpose, isDone }: Authorization): UpcomingCharge['of'] {
  return purpose.kind === 'migration' && !isDone ? 'migration' : 'charge';
}

function consentOf(found: Authorization): PayerConsent | undefined {
  const context = subscriptionContextOf(found.subscription);
  return kindOf(found) === 'migration' ? migrationConsent(context) : context.consent;
}

type Signature = Pick<AuthorizationState, 'signedBy' | 'isSigned' | 'isAuthorized'>;

/** New terms need a signature. A subscription can be authorized by an approval alone. */
function signatureOf({ subscription, purpose, isDone, isOver, signedBy: signer }: Link): Signature {
  const { payerWallet, authorizedAt, migration } = subscriptionContextOf(subscription);
  if (isOver) return { signedBy: null, isSigned: false, isAuthorized: false };
  if (purpose.kind === 'subscription') {
    const isSigned = signer !== undefined && signer === payerWallet;
    return { signedBy: payerWallet, isSigned, isAuthorized: authorizedAt !== null };
  }
  if (isDone) return { signedBy: payerWallet, isSigned: true, isAuthorized: true };
  const signedBy = migration?.wallet ?? null;
  return { signedBy, isSigned: signedBy !== null, isAuthorized: signedBy !== null && migration?.covered === true };
}

/** What the wallet has signed at this link; absent: nothing yet. */
function signedConsent(link: Link): { readonly consent?: Consent } {
  return signatureOf(link).isSigned ? { consent: operatorConsent(consentOf(link)) } : {};
}

/** Leaves out a trial that is over or that the migration does not give. */
function shownTerms({ clock }: CheckoutDeps, subscription: ActorDoc, terms: Terms): AuthorizationState['terms'] {
  const { offerName } = subscriptionAttributes.parse(subscription.attributes);
  const { priceAmount, priceCurrency, amount, model, interval, maxCycles } = terms;
  const trialDays = trialDaysLeft(subscription, clock());
  const { discount } = subscriptionContextOf(subscription);
  const less = discount === undefined || discount.cyclesLeft === 0 ? {} : { discount };
  const price = { priceAmount, priceCurrency, amount, ...(model === undefined ? {} : { model }), ...less };
  return { offerName, ...price, recurring: { interval, maxCycles, trialDays } };
}

async function noteDone({ store, clock }: CheckoutDeps, { _id, usedBy }: CheckoutChallengeDoc): Promise<void> {
  await store.records.change('checkoutChallenges', _id, { usedBy }, { set: { doneAt: clock() } });
}

/** Adds the wallet to the customer, unless it belongs to another one, or the customer is deleted. */
async function linkCustomer(
  deps: CheckoutDeps,
  subscription: ActorDoc,
  { requested }: TokenOnChain,
  wallet: string,
  reader: Reader,
): Promise<void> {
  const { customerId } = subscriptionAttributes.parse(subscription.attributes);
  const filled = { wallet: { chainFamily: requested.family, address: wallet }, email: null, phone: null, name: null };
  try {
    await fillCustomer(deps, subscription, customerId, { ...filled, ...reader });
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'internal') throw error;
  }
}
