import { randomBytes } from 'node:crypto';
import type { PayerConsent } from '../../../machines/consent.ts';
import { type MandateDraft, mandateIdOf, mandateSignature } from '../../chains/mandates.ts';
import { isSignedBy } from '../../chains/signatures.ts';
import { invalid } from '../../errors/fault.ts';
import { requireAddress } from '../../model/addresses.ts';
import { nonceIn } from '../../model/sign-in-text.ts';
import type { ChallengePurpose, CheckoutChallengeDoc, MandateDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { type ChainSays, chainSays } from './chain-says.ts';
import type { CheckoutDeps } from './deps.ts';
import { type Asked, askedOf, type Own } from './lines.ts';
import { type Bought, mandateToSign } from './mandate.ts';
import { type GivenPermit, type PermitToSign, permitToSign } from './permits.ts';
import { messageOf, type Stated, statementOf } from './statement.ts';
import type { TokenOnChain } from './token-on-chain.ts';

/** How long a text may be signed and used (docs/rules.md, "Checkout API"). */
const CHALLENGE_MS = 10 * 60_000;

/** How long a used text is remembered, so that a repeated request gets the first answer. */
const REMEMBERED_MS = 24 * 3_600_000;

const NONCE_BYTES = 16;

/** The sum to approve and the state on the chain, for a wallet that has signed nothing yet. */
export interface Requested {
  readonly asked: Asked;
  /** null: the chain does not answer. */
  readonly says: ChainSays | null;
  /** The permit that can be signed instead of an approve; null: none. */
  readonly permit: PermitToSign | null;
}

/** A text to sign, and the sum that the page asks the wallet to approve afterwards. */
export interface Challenged extends Requested {
  readonly message: string;
  /** The limits to sign: their typed data in place of the text, or on Solana the text, which names them. */
  readonly mandate: MandateDraft;
  readonly nonce: string;
  readonly expiresAt: Date;
}

export interface Challenge {
  readonly tenant: Tenant;
  readonly purpose: ChallengePurpose;
  readonly wallet: string;
  readonly stated: Stated;
  readonly own: Own;
  readonly agreed: Bought;
  readonly publicUrl: string;
  readonly path: string;
}

/** The address in its stored spelling. Throws 400 if it is not of the token's chain family. */
export function walletAt({ asked }: TokenOnChain, address: string): string {
  return requireAddress(asked.family, address, 'address');
}

/** Creates and stores a new text for one wallet and purpose. */
export async function issueChallenge(deps: CheckoutDeps, challenge: Challenge): Promise<Challenged> {
  const { tenant, purpose, wallet, stated, own, agreed, publicUrl, path } = challenge;
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const createdAt = deps.clock();
  const expiresAt = new Date(createdAt.getTime() + CHALLENGE_MS);
  const statement = statementOf(stated);
  const payer = { tenant, place: stated.place, wallet };
  const mandate = await mandateToSign(deps, payer, { ...agreed, amount: own.amount, statement });
  const framing = { publicUrl, path, wallet, nonce, issuedAt: createdAt, expiresAt, mandateId: mandateIdOf(mandate) };
  const message = messageOf(stated.place, statement, framing);
  const doc: CheckoutChallengeDoc = {
    _id: nonce,
    merchantId: tenant.merchantId,
    mode: tenant.mode,
    purpose,
    wallet,
    message,
    mandate,
    replaces: agreed.mandateIds,
    usedBy: null,
    doneAt: null,
    createdAt,
    expiresAt,
    purgeAt: new Date(expiresAt.getTime() + REMEMBERED_MS),
  };
  await deps.store.records.insert('checkoutChallenges', [doc]);
  const requested = await requestedOf(deps, { tenant, place: stated.place, own, wallet });
  return { message, mandate, nonce, expiresAt, ...requested };
}

export async function requestedOf(
  deps: CheckoutDeps,
  { tenant, place, own, wallet }: Pick<Challenge, 'tenant' | 'own' | 'wallet'> & { readonly place: TokenOnChain },
): Promise<Requested> {
  const asked = await askedOf(deps, tenant, place, own, wallet);
  const says = await chainSays(deps, asked, wallet);
  return { asked, says, permit: await permitToSign(deps, asked, says) };
}

/** A signed text, as submitted. */
export interface Signed {
  readonly address: string;
  readonly message: string;
  readonly signature: string;
  /** Instead of an approve; null: none. */
  readonly permit: GivenPermit | null;
}

/**
 * Marks the signed challenge as used by `user`, stores its mandate, and returns both. Throws 400 if the text is not
 * exactly one issued for this purpose and wallet, if it has expired or another user has used it, or if the signature is
 * not the wallet's. If `user` has used it before, expiry and signature are not checked again: it is a repeated request.
 */
export async function useChallenge(
  deps: CheckoutDeps,
  place: TokenOnChain,
  purpose: ChallengePurpose,
  signed: Signed,
  user: string,
): Promise<UsedChallenge> {
  const wallet = walletAt(place, signed.address);
  const challenge = await givenOut(deps, signed.message, purpose);
  if (challenge.wallet !== wallet) throw invalid('address is not the wallet of this message');
  if (challenge.usedBy === user) return consentedIn(challenge);
  if (challenge.usedBy !== null) throw usedBefore();
  if (challenge.expiresAt <= deps.clock()) throw invalid('message has expired; ask for a new challenge');
  const signature = await requireSigned(place, challenge, signed);
  await storeMandate(deps, challenge, { message: signed.message, signature });
  const change = { set: { usedBy: user } };
  const used = await deps.store.records.change('checkoutChallenges', challenge._id, { usedBy: null }, change);
  if (used !== null) return consentedIn(used);
  const [other] = await deps.store.records.get('checkoutChallenges', [challenge._id]);
  if (other?.usedBy === user) return consentedIn(other);
  throw usedBefore();
}

/** A used challenge, and the consent that its signature gives. */
export interface UsedChallenge {
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
  { mandate }: CheckoutChallengeDoc,
  { message, signature }: Pick<Signed, 'message' | 'signature'>,
): Promise<void> {
  const signed: MandateDoc = { ...mandate, _id: mandateIdOf(mandate), message, signature, createdAt: clock() };
  await store.records.insert('mandates', [signed]);
}

/** Resolves with the signature in the form to store. Throws 400 if it is not the wallet's. */
async function requireSigned(
  { asked: { family }, chain }: TokenOnChain,
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
  return one.offerId === other.offerId && one.priceId === other.priceId && one.tokenKey === other.tokenKey;
}

function usedBefore() {
  return invalid('message was used before; ask for a new challenge');
}
