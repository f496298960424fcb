import type { PayerConsent } from '../../../machines/consent.ts';
import { isContractSignature, mandateIdOf, mandateSignature } from '../../chains/mandates.ts';
import { isSignedBy } from '../../chains/signatures.ts';
import { invalid } from '../../errors/fault.ts';
import { nonceIn } from '../../model/sign-in-text.ts';
import type { ChallengePurpose, CheckoutChallengeDoc, MandateDoc } from '../../store/collections.ts';
import type { CheckoutDeps } from './deps.ts';
import { type CheckedGiven, checkPermit, type GivenPermit } from './permits.ts';
import type { Purchase } from './purchase.ts';
import { requestedAllowance } from './requested-allowance.ts';
import type { TokenOnChain } from './token-on-chain.ts';

/** A signed text, as submitted. */
export interface Signed {
  readonly address: string;
  readonly message: string;
  readonly signature: string;
  /** Instead of an approve; null: none. */
  readonly permit: GivenPermit | null;
}

/** A purchase whose wallet has signed. */
export interface Completed extends UsedChallenge {
  /** Checked, and not submitted yet; null: none was given. */
  readonly permit: CheckedGiven | null;
}

/**
 * Checks the signature, then the permit, then stores the mandate and marks the challenge as used by `user`. A refused
 * permit leaves the text unused, so the page can simply try again. Its refusal says what the wallet's other
 * subscriptions need, so only who has signed gets it. Throws 400 as `checkPermit`, and if the text is not exactly one
 * issued for this purchase, if it has expired or another user has used it, or if the signature is not the wallet's. If
 * `user` has used it before, expiry and signature are not checked again: it is a repeated request.
 */
export async function completePurchase(
  deps: CheckoutDeps,
  purchase: Purchase,
  signed: Signed,
  user: string,
): Promise<Completed> {
  const checked = await checkedChallenge(deps, purchase, signed, user);
  const permit = signed.permit && (await checkedPermit(deps, purchase, signed.permit));
  return { ...(await useChallenge(deps, checked, user)), permit };
}

async function checkedPermit(deps: CheckoutDeps, purchase: Purchase, given: GivenPermit): Promise<CheckedGiven> {
  const { tenant, token, charge, wallet } = purchase;
  const allowance = await requestedAllowance(deps, tenant, token, charge, wallet);
  return checkPermit(deps, tenant, allowance, wallet, given);
}

interface CheckedChallenge {
  readonly challenge: CheckoutChallengeDoc;
  /** In the form to store; null: `user` has used the challenge before. */
  readonly signature: string | null;
}

async function checkedChallenge(
  deps: CheckoutDeps,
  { of, token, wallet }: Purchase,
  signed: Signed,
  user: string,
): Promise<CheckedChallenge> {
  const challenge = await givenOut(deps, signed.message, of);
  if (challenge.wallet !== wallet) throw invalid('address is not the wallet of this message');
  if (challenge.usedBy === user) return { challenge, signature: null };
  if (challenge.usedBy !== null) throw usedBefore();
  if (challenge.expiresAt <= deps.clock()) throw invalid('message has expired; ask for a new challenge');
  return { challenge, signature: await requireSigned(token, challenge, signed) };
}

async function useChallenge(
  deps: CheckoutDeps,
  { challenge, signature }: CheckedChallenge,
  user: string,
): Promise<UsedChallenge> {
  if (signature === null) return consentedIn(challenge);
  await storeMandate(deps, challenge, signature);
  const change = { set: { usedBy: user } };
  const used = await deps.store.records.change('checkoutChallenges', challenge._id, { usedBy: null }, change);
  if (used !== null) return consentedIn(used);
  const [other] = await deps.store.records.get('checkoutChallenges', [challenge._id]);
  if (other?.usedBy === user) return consentedIn(other);
  throw usedBefore();
}

/** A used challenge, and the consent that its signature gives. */
interface UsedChallenge {
  readonly challenge: CheckoutChallengeDoc;
  readonly consent: PayerConsent;
  /** The mandates that its subscription had when the text was issued. */
  readonly replaces: string[];
}

function consentedIn(challenge: CheckoutChallengeDoc): UsedChallenge {
  const { mandate, replaces } = challenge;
  const consent = { mandateId: mandateIdOf(mandate), router: mandate.router };
  return { challenge, consent, replaces: [...replaces] };
}

/** As a field of a stored object: left out where there is none. */
export function replacesIn(replaces: readonly string[] | undefined): { readonly replaces?: string[] } {
  return replaces === undefined ? {} : { replaces: [...replaces] };
}

/** Before the challenge counts as used: a mandate that nothing names yet charges nobody. Idempotent. */
async function storeMandate(
  { store, clock }: CheckoutDeps,
  { mandate, message }: CheckoutChallengeDoc,
  signature: string,
): Promise<void> {
  const byContract = isContractSignature(mandate, signature) ? { signedByContract: true as const } : {};
  const signed: MandateDoc = {
    ...mandate,
    _id: mandateIdOf(mandate),
    message,
    signature,
    ...byContract,
    createdAt: clock(),
  };
  await store.records.insert('mandates', [signed]);
}

/** Resolves with the signature in the form to store. Throws 400 if it is not the wallet's. */
async function requireSigned(
  { requested: { family }, chain }: TokenOnChain,
  { wallet, mandate }: CheckoutChallengeDoc,
  { message, signature }: Signed,
): Promise<string> {
  const stored = await mandateSignature(mandate, { message, signature }, chain);
  if (stored !== null) return stored;
  if (mandate.router && (await isSignedBy({ family, wallet, message, signature }, chain))) {
    throw invalid('signature is of message, which authorizes nothing; sign the typedData of the challenge instead');
  }
  const what = mandate.router ? "the challenge's typedData" : 'this message';
  throw invalid(`signature must be by the wallet in address, for ${what}`);
}

async function givenOut(
  { store }: CheckoutDeps,
  message: string,
  purpose: ChallengePurpose,
): Promise<CheckoutChallengeDoc> {
  const nonce = nonceIn(message);
  const [challenge] = nonce === null ? [] : await store.records.get('checkoutChallenges', [nonce]);
  if (!challenge || challenge.message !== message || !isSamePurpose(challenge.purpose, purpose)) {
    throw invalid('message is not a challenge for this purchase; ask for a new challenge and sign it unchanged');
  }
  return challenge;
}

function isSamePurpose(one: ChallengePurpose, other: ChallengePurpose): boolean {
  if (one.kind === 'link' || other.kind === 'link') {
    return one.kind === 'link' && other.kind === 'link' && one.linkId === other.linkId;
  }
  const isSame = one.offerId === other.offerId && one.priceId === other.priceId && one.tokenKey === other.tokenKey;
  return isSame && one.quantity === other.quantity && one.couponId === other.couponId;
}

function usedBefore() {
  return invalid('message was used before; ask for a new challenge');
}
