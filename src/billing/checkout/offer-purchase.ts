import { capOf } from '../../../machines/rules/price-model.ts';
import type { Terms } from '../../../machines/subscription/context.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import type { OfferDoc, PricingOption } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { firstChargeAt, termsOf } from '../subscriptions/opening.ts';
import type { CheckoutDeps } from './deps.ts';
import { limitsOf } from './mandate.ts';
import { type Choice, type Chosen, chosenOf, type PublicOffer, publicOffer } from './offer.ts';
import { customerWith } from './payer.ts';
import { type Purchase, type PurchaseLimits, type PurchaseTerms, walletAt } from './purchase.ts';
import { cyclesRequested, firstCharge, nextChargeOf } from './requested-allowance.ts';
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
  return purchaseOfOption(deps, { ...found, ...chosen }, token, input.address);
}

/** As `purchaseOfOffer`, of an option that is chosen already. `token`: that of the option, on its chain. */
export async function purchaseOfOption(
  deps: CheckoutDeps,
  chosen: PublicOffer & Choice,
  token: TokenOnChain,
  address: string,
): Promise<Purchase> {
  const { offer, merchant, option, quantity } = chosen;
  const { tokenKey } = chosen.token;
  const wallet = walletAt(token, address);
  const terms = option.billing.type === 'recurring' ? termsOf(option, chosen.token, quantity) : null;
  const amount = terms?.amount ?? chosen.token.amountBaseUnits;
  const existing = terms && (await existingFor(deps, offer, { terms, wallet, family: token.requested.family }));
  const now = deps.clock();
  const charge =
    existing === null
      ? firstCharge({
          offerName: offer.name,
          amount,
          cycles: terms === null ? 1 : cyclesRequested(terms, 0),
          isDue: firstChargeAt(option, now) === null,
        })
      : // Its quantity may be another one; the signature changes it to the chosen one.
        { ...nextChargeOf(existing, wallet, now), ...(terms?.model === undefined ? {} : { amount }) };
  return {
    tenant: offer,
    of: {
      ...{ kind: 'offer', offerId: offer._id, priceId: option.id, tokenKey },
      ...(quantity === null ? {} : { quantity }),
    },
    token,
    wallet,
    merchantName: merchant.name,
    terms: shownTerms(offer, option, amount, {
      terms,
      trialDays: existing === null ? option.trialDays : trialDaysLeft(existing, now),
    }),
    isMigration: false,
    paid: existing !== null && isPaidBy(existing, wallet) ? existing : null,
    charge,
    // An existing subscription keeps its terms, its agreement and its rhythm.
    limits:
      existing === null
        ? firstLimits(offer, option, { terms, amount }, now)
        : limitsOf(existing, 'charge', charge, now),
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
  if (terms === null) return { ...to, perCharge: BigInt(amount), rhythm: { kind: 'once' } };
  const { interval, maxCycles: charges } = terms;
  const startsAt = new Date(firstChargeAt(option, now) ?? now);
  return { ...to, perCharge: capOf(terms), rhythm: { kind: 'recurring', interval, charges, startsAt } };
}

/** The existing subscription that the checkout uses: it is approved once, not twice, and has no trial but its own. */
async function existingFor(
  { store }: CheckoutDeps,
  offer: OfferDoc,
  { terms, wallet, family }: { readonly terms: Terms; readonly wallet: string; readonly family: 'evm' | 'solana' },
): Promise<ActorDoc | null> {
  const customer = await customerWith(store, offer, family, wallet);
  const doc = customer && (await liveSubscription(store, offer, customer._id, terms.priceId));
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
  { terms, trialDays }: { readonly terms: Terms | null; readonly trialDays: number | null },
): PurchaseTerms {
  const { maxCycles } = option;
  return {
    offerName: offer.name,
    priceAmount: option.amount,
    priceCurrency: option.currency,
    amount,
    ...(terms?.model === undefined ? {} : { model: terms.model }),
    recurring: terms && { interval: terms.interval, maxCycles, trialDays },
  };
}
