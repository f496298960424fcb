import { type Discount, lessDiscount } from '../../../machines/rules/discount.ts';
import { capOf, windowCapOf } from '../../../machines/rules/price-model.ts';
import type { Terms } from '../../../machines/subscription/context.ts';
import { invalid } from '../../errors/fault.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import { leastPriceOf, requireToken } from '../../model/tokens.ts';
import type { AcceptedToken, CustomerDoc, OfferDoc, PricingOption } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { couponByCode, discountOf } from '../coupons/coupons.ts';
import { firstChargeAt, termsOf } from '../subscriptions/opening.ts';
import type { CheckoutDeps } from './deps.ts';
import { limitsOf } from './mandate.ts';
import { type Choice, type Chosen, chosenOf, type PublicOffer, publicOffer } from './offer.ts';
import { customerWith } from './payer.ts';
import { type Purchase, type PurchaseLimits, type PurchaseTerms, walletAt } from './purchase.ts';
import { cyclesRequested, discounted, firstCharge, nextChargeOf } from './requested-allowance.ts';
import { liveSubscription } from './subscribe.ts';
import { requireTokenOnChain, type TokenOnChain } from './token-on-chain.ts';
import { trialDaysLeft } from './trial.ts';

/** The purchase of one option of an offer in one token. Throws 404, and 400 with the reason. */
export async function purchaseOfOffer(
  deps: CheckoutDeps,
  offerId: string,
  input: Chosen & { readonly address: string },
): Promise<Purchase> {
  const found = await publicOffer(deps.store, offerId);
  const chosen = chosenOf(found.offer, input, deps.clock());
  const token = requireTokenOnChain(deps, found.offer, chosen.token.tokenKey);
  return purchaseOfOption(deps, { ...found, ...chosen, coupon: input.coupon }, token, input.address);
}

/** As `purchaseOfOffer`, of an option that is chosen already. `token`: that of the option, on its chain. */
export async function purchaseOfOption(
  deps: CheckoutDeps,
  chosen: PublicOffer & Choice & Pick<Chosen, 'coupon'>,
  token: TokenOnChain,
  address: string,
): Promise<Purchase> {
  const { offer, merchant, option, quantity } = chosen;
  const { tokenKey } = chosen.token;
  const wallet = walletAt(token, address);
  const terms = option.billing.type === 'recurring' ? termsOf(option, chosen.token, quantity) : null;
  const price = { tokenKey, amount: terms?.amount ?? chosen.token.amountBaseUnits };
  const isKnown = terms !== null || chosen.coupon !== null;
  const customer = isKnown ? await customerWith(deps.store, offer, token.requested.family, wallet) : null;
  const existing = terms && customer && (await existingFor(deps, offer, { terms, customer }));
  const given =
    chosen.coupon === null ? null : await givenBy(deps, chosen, chosen.coupon, { existing, customer, isSigned: true });
  // Of a subscription the mandate has the full price, of a purchase what it takes.
  const amount = terms === null ? lessDiscount(given ?? undefined, price).toString() : price.amount;
  const discount = given ?? (existing ? subscriptionContextOf(existing).discount : undefined);
  const now = deps.clock();
  const full =
    existing === null
      ? firstCharge({
          offerName: offer.name,
          amount,
          cycles: terms === null ? 1 : cyclesRequested(terms, 0),
          isDue: firstChargeAt(option, now) === null,
        })
      : // Its quantity may be another one; the signature changes it to the chosen one.
        { ...nextChargeOf(existing, wallet, now), ...(terms?.model === undefined ? {} : { amount }) };
  const charge = given === null || terms === null ? full : discounted(full, given, tokenKey);
  return {
    tenant: offer,
    of: {
      ...{ kind: 'offer', offerId: offer._id, priceId: option.id, tokenKey },
      ...(quantity === null ? {} : { quantity }),
      ...(given === null ? {} : { couponId: given.couponId }),
    },
    token,
    wallet,
    merchantName: merchant.name,
    terms: shownTerms(offer, option, price.amount, {
      terms,
      discount,
      trialDays: existing === null ? option.trialDays : trialDaysLeft(existing, now),
    }),
    isMigration: false,
    paid: existing !== null && isPaidBy(existing, wallet) ? existing : null,
    charge,
    // An existing subscription keeps its terms, its agreement and its rhythm.
    limits: existing === null ? firstLimits(offer, option, { terms, amount }, now) : limitsOf(existing, 'charge', now),
    path: `/checkout/${offer._id}`,
  };
}

function firstLimits(
  offer: OfferDoc,
  option: PricingOption,
  { terms, amount }: { readonly terms: Terms | null; readonly amount: string },
  now: Date,
): PurchaseLimits {
  const to = { destination: option.merchantDestinationWallet, splits: offer.splitEvm, mandateIds: [] };
  if (terms === null) return { ...to, perCharge: BigInt(amount), per30Days: null, rhythm: { kind: 'once' } };
  const { interval, maxCycles: charges } = terms;
  const startsAt = new Date(firstChargeAt(option, now) ?? now);
  const rhythm = { kind: 'recurring', interval, charges, startsAt } as const;
  return { ...to, perCharge: capOf(terms), per30Days: windowCapOf(terms), rhythm };
}

/** What a code takes off a price, for a customer who is not known yet. Throws 404, and 400 with the reason. */
export async function discountByCode(
  deps: CheckoutDeps,
  offerId: string,
  { coupon, ...input }: Chosen & { readonly coupon: string },
): Promise<{ readonly discount: Discount; readonly price: Pick<Terms, 'tokenKey' | 'amount'> }> {
  const found = await publicOffer(deps.store, offerId);
  const chosen = { ...found, ...chosenOf(found.offer, { ...input, coupon }, deps.clock()) };
  const discount = await givenBy(deps, chosen, coupon, { ...NOBODY, isSigned: true });
  const { option, token, quantity } = chosen;
  const isOnce = option.billing.type !== 'recurring';
  const price = isOnce ? { ...token, amount: token.amountBaseUnits } : termsOf(option, token, quantity);
  return { discount, price };
}

/** The discount of a payment by transfer; undefined: the full price. Throws 400 with the reason. */
export async function discountOfTransfer(
  deps: CheckoutDeps,
  chosen: PublicOffer & Choice & Pick<Chosen, 'coupon'>,
): Promise<Discount | undefined> {
  const { coupon } = chosen;
  return coupon === null ? undefined : givenBy(deps, chosen, coupon, { ...NOBODY, isSigned: false });
}

interface Redeemer {
  readonly existing: ActorDoc | null;
  readonly customer: CustomerDoc | null;
  /** False: a transfer. Nobody has signed it, so it takes nothing that is limited. */
  readonly isSigned: boolean;
}

const NOBODY = { existing: null, customer: null };

/** The discount of a code, for a subscription on which nothing is paid yet, or for one payment. Throws 400. */
async function givenBy(
  deps: CheckoutDeps,
  { offer, option, token }: PublicOffer & Choice,
  code: string,
  { existing, customer, isSigned }: Redeemer,
): Promise<Discount> {
  const { tokenKey } = token;
  const own = existing === null ? undefined : subscriptionContextOf(existing).discount;
  if (own?.code === code.toUpperCase()) return own;
  if (existing !== null && existing.status !== 'pending') throw invalid('This coupon is for a new subscription only');
  const coupon = await couponByCode(deps, offer, code);
  if (!isSigned && (coupon.maxRedemptions !== null || coupon.firstTimeOnly))
    throw invalid('This coupon is for payments from a wallet, not by transfer');
  const discount = await discountOf(deps, coupon, { offerId: offer._id, tokenKey, customerId: customer?._id ?? null });
  return option.billing.type === 'recurring' ? discount : forOnePayment(deps, offer, token, discount);
}

/** However many charges it is for. Throws 400 if less than the least price is left (docs/rules.md, "Money"). */
function forOnePayment(
  { catalog }: CheckoutDeps,
  { mode }: OfferDoc,
  { tokenKey, amountBaseUnits: amount }: AcceptedToken,
  discount: Discount,
): Discount {
  const least = leastPriceOf(catalog, mode, requireToken(catalog, mode, tokenKey, 'tokenKey'));
  if (lessDiscount(discount, { tokenKey, amount }) < least)
    throw invalid('This coupon takes off too much: less than the least price would be left');
  return { ...discount, cyclesLeft: 1 };
}

/** The existing subscription that the checkout uses: it is approved once, not twice, and has no trial but its own. */
async function existingFor(
  { store }: CheckoutDeps,
  offer: OfferDoc,
  { terms, customer }: { readonly terms: Terms; readonly customer: CustomerDoc },
): Promise<ActorDoc | null> {
  const doc = await liveSubscription(store, offer, customer._id, terms.priceId);
  return doc !== null && subscriptionContextOf(doc).terms.tokenKey === terms.tokenKey ? doc : null;
}

/** With a charge, which the chain shows: anybody can ask about any wallet. */
function isPaidBy(subscription: ActorDoc, wallet: string): boolean {
  const { payerWallet, cyclesCompleted } = subscriptionContextOf(subscription);
  return subscription.status === 'active' && payerWallet === wallet && cyclesCompleted > 0;
}

function shownTerms(
  offer: OfferDoc,
  option: PricingOption,
  amount: string,
  {
    terms,
    discount,
    trialDays,
  }: { readonly terms: Terms | null; readonly discount: Discount | undefined; readonly trialDays: number | null },
): PurchaseTerms {
  const { maxCycles } = option;
  return {
    offerName: offer.name,
    priceAmount: option.amount,
    priceCurrency: option.currency,
    amount,
    ...(terms?.model === undefined ? {} : { model: terms.model }),
    ...(discount === undefined || discount.cyclesLeft === 0 ? {} : { discount }),
    recurring: terms && { interval: terms.interval, maxCycles, trialDays },
  };
}
