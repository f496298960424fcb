import type { Terms } from '../../../machines/subscription/context.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import type { AcceptedToken, OfferDoc, PricingOption } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { termsOf } from '../subscriptions/opening.ts';
import { type Challenged, issueChallenge, type Requested, requestedOf, walletAt } from './challenges.ts';
import type { CheckoutDeps } from './deps.ts';
import { cyclesAsked, newOwn, type Own, ownNext } from './lines.ts';
import { agreedOf, type Bought } from './mandate.ts';
import { type Chosen, chosenOf, publicOffer } from './offer.ts';
import { customerWith } from './payer.ts';
import type { StatedTerms } from './statement.ts';
import { liveSubscription } from './subscribe.ts';
import { requireTokenOnChain, type TokenOnChain } from './token-on-chain.ts';
import { trialDaysLeft } from './trial.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Creates a text for this wallet to sign, for one option of an offer in one token. Throws 404, and 400 with the reason.
 */
export async function challengeOffer(
  deps: CheckoutDeps,
  offerId: string,
  input: Chosen & { readonly address: string },
  publicUrl: string,
): Promise<Challenged> {
  const { offer, merchant } = await publicOffer(deps.store, offerId);
  const { option, token } = chosenOf(offer, input, deps.clock());
  const place = requireTokenOnChain(deps, offer, token.tokenKey);
  const wallet = walletAt(place, input.address);
  const terms = option.billing.type === 'recurring' ? termsOf(option, token) : null;
  const existing = terms && (await existingFor(deps, offer, { terms, wallet, family: place.asked.family }));
  const own = await ownOfOffer(deps, offer, { option, token, place, wallet });
  return issueChallenge(deps, {
    tenant: offer,
    purpose: { kind: 'offer', offerId: offer._id, priceId: option.id, tokenKey: token.tokenKey },
    wallet,
    stated: {
      merchantName: merchant.name,
      mode: offer.mode,
      terms: statedOf(offer, option, token.amountBaseUnits, {
        terms,
        trialDays: existing === null ? option.trialDays : trialDaysLeft(existing, deps.clock()),
      }),
      isMigration: false,
      place,
    },
    own,
    agreed: agreedIn(deps, { offer, option, terms, existing, own }),
    publicUrl,
    path: `/checkout/${offer._id}`,
  });
}

/** An existing subscription keeps its terms, its agreement and its rhythm. */
function agreedIn(
  { clock }: CheckoutDeps,
  bought: {
    readonly offer: OfferDoc;
    readonly option: PricingOption;
    readonly terms: Terms | null;
    readonly existing: ActorDoc | null;
    readonly own: Own;
  },
): Bought {
  const { offer, option, terms, existing, own } = bought;
  const of = { destination: option.merchantDestinationWallet, splits: offer.splitEvm };
  if (terms === null) return { ...of, rhythm: { kind: 'once' }, mandateIds: [] };
  if (existing !== null) return agreedOf(existing, 'charge', own, clock());
  const { interval, maxCycles: charges } = terms;
  const startsAt = option.trialDays ? new Date(clock().getTime() + option.trialDays * DAY_MS) : null;
  return { ...of, rhythm: { kind: 'recurring', interval, charges, startsAt }, mandateIds: [] };
}

/** The sum that this wallet would be asked to approve, and its state on the chain. Throws as `challengeOffer`. */
export async function requestOfOffer(
  deps: CheckoutDeps,
  offerId: string,
  input: Chosen & { readonly address: string },
): Promise<Requested> {
  const { offer } = await publicOffer(deps.store, offerId);
  const { option, token } = chosenOf(offer, input, deps.clock());
  const place = requireTokenOnChain(deps, offer, token.tokenKey);
  const wallet = walletAt(place, input.address);
  const own = await ownOfOffer(deps, offer, { option, token, place, wallet });
  return requestedOf(deps, { tenant: offer, place, own, wallet });
}

/** The amount that a wallet has to approve when it buys this. */
export async function ownOfOffer(
  deps: CheckoutDeps,
  offer: OfferDoc,
  bought: {
    readonly option: PricingOption;
    readonly token: AcceptedToken;
    readonly place: TokenOnChain;
    readonly wallet: string;
  },
): Promise<Own> {
  const { option, token, place, wallet } = bought;
  const terms = option.billing.type === 'recurring' ? termsOf(option, token) : null;
  const existing = terms && (await existingFor(deps, offer, { terms, wallet, family: place.asked.family }));
  const { name: offerName } = offer;
  const cycles = terms === null ? 1 : cyclesAsked(terms, 0);
  if (existing !== null) return ownNext(existing, wallet, deps.clock());
  const isDue = terms === null || (option.trialDays ?? 0) === 0;
  return newOwn({ offerName, amount: token.amountBaseUnits, cycles, isDue });
}

/**
 * The existing subscription that the checkout will use: it is approved once, not twice, and has no trial but its own.
 */
async function existingFor(
  { store }: CheckoutDeps,
  offer: OfferDoc,
  { terms, wallet, family }: { readonly terms: Terms; readonly wallet: string; readonly family: 'evm' | 'solana' },
): Promise<ActorDoc | null> {
  const customer = await customerWith(store, offer, family, wallet);
  const doc = customer && (await liveSubscription(store, offer, customer._id, terms.priceId));
  return doc !== null && subscriptionContextOf(doc).terms.tokenKey === terms.tokenKey ? doc : null;
}

function statedOf(
  offer: OfferDoc,
  option: PricingOption,
  amount: string,
  { terms, trialDays }: { readonly terms: Terms | null; readonly trialDays: number | null },
): StatedTerms {
  const { maxCycles } = option;
  return {
    offerName: offer.name,
    priceAmount: option.amount,
    priceCurrency: option.currency,
    amount,
    recurring: terms && { interval: terms.interval, maxCycles, trialDays },
  };
}
