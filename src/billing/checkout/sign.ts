import { randomBytes } from 'node:crypto';
import { type MandateDraft, mandateIdOf } from '../../chains/mandates.ts';
import { signInText } from '../../model/sign-in-text.ts';
import type { CheckoutChallengeDoc } from '../../store/collections.ts';
import type { CheckoutDeps } from './deps.ts';
import { mandateToSign } from './mandate.ts';
import type { Purchase } from './purchase.ts';
import { type Quote, quotePurchase } from './quote.ts';
import { statementOf } from './statement.ts';

/** How long a text may be signed and used (docs/rules.md, "Checkout API"). */
const CHALLENGE_MS = 10 * 60_000;

/** How long a used text is remembered, so that a repeated request gets the first answer. */
const REMEMBERED_MS = 24 * 3_600_000;

const NONCE_BYTES = 16;

/** A text to sign, and the sum that the page asks the wallet to approve afterwards. */
export interface Challenged extends Quote {
  readonly message: string;
  /** The limits to sign: their typed data in place of the text, or on Solana the text, which names them. */
  readonly mandate: MandateDraft;
  readonly nonce: string;
  readonly expiresAt: Date;
}

/** Creates and stores a new text about this purchase, for its wallet to sign. Throws as `mandateToSign`. */
export async function challengePurchase(
  deps: CheckoutDeps,
  purchase: Purchase,
  publicUrl: string,
): Promise<Challenged> {
  const { tenant, of, token, wallet, limits, path } = purchase;
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const createdAt = deps.clock();
  const expiresAt = new Date(createdAt.getTime() + CHALLENGE_MS);
  const statement = statementOf(purchase);
  const mandate = await mandateToSign(deps, purchase, statement);
  // What a wallet is shown, and signs on Solana: the agreement in one sentence, the page, the expiry and the mandate.
  const message = signInText({
    ...{ publicUrl, path, wallet, nonce, issuedAt: createdAt, expiresAt, statement },
    family: token.requested.family,
    chainId: token.playing.chainId,
    resources: [`urn:tideline:mandate:${mandateIdOf(mandate)}`],
  });
  const doc: CheckoutChallengeDoc = {
    _id: nonce,
    merchantId: tenant.merchantId,
    mode: tenant.mode,
    purpose: of,
    wallet,
    message,
    mandate,
    replaces: limits.mandateIds,
    usedBy: null,
    doneAt: null,
    createdAt,
    expiresAt,
    purgeAt: new Date(expiresAt.getTime() + REMEMBERED_MS),
  };
  await deps.store.records.insert('checkoutChallenges', [doc]);
  return { message, mandate, nonce, expiresAt, ...(await quotePurchase(deps, purchase)) };
}
