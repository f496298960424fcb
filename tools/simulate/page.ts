import { authorizeLink, purchaseOfLink } from '../../src/billing/checkout/authorize.ts';
import { continueSession, openCheckout } from '../../src/billing/checkout/checkout.ts';
import type { SessionState } from '../../src/billing/checkout/checkout-state.ts';
import type { Signed } from '../../src/billing/checkout/complete.ts';
import { purchaseOfOffer } from '../../src/billing/checkout/offer-purchase.ts';
import type { SessionKind } from '../../src/billing/checkout/sessions.ts';
import { type Challenged, challengePurchase } from '../../src/billing/checkout/sign.ts';
import { mandateIdOf } from '../../src/chains/mandates.ts';
import { secretHash } from '../../src/model/secrets.ts';
import type { Random } from '../crashtest/random.ts';
import type { Merchant, Reported } from './merchant.ts';
import type { Payer } from './shop.ts';
import type { SimulatedChain } from './simulated-chain.ts';

export interface SignedMandate {
  readonly id: string;
  readonly payer: string;
  readonly chain: SimulatedChain;
  /** Null on Solana, where no program keeps it. */
  readonly agreement: string | null;
}

export interface Bought {
  readonly offerId: string;
  readonly priceId: string;
  /** Absent: the price is fixed. */
  readonly quantity?: number | null;
  /** Absent: the full price. */
  readonly coupon?: string | null;
}

const PUBLIC_URL = 'https://pay.example';
const NOBODY_COUNTS = { countPaymentSession: async () => undefined, countSignUp: async () => undefined };
const NOTHING_COLLECTED = { email: null, phone: null, name: null, others: {} } as const;

/** The hosted pages, as payers use them: a page repeats a call until it is answered, and the wallet signs. */
export class Page {
  readonly #merchant: Merchant;
  readonly #random: Random;
  /** Everything that wallets have signed here. */
  readonly signed: SignedMandate[] = [];

  constructor(merchant: Merchant, random: Random) {
    this.#merchant = merchant;
    this.#random = random;
  }

  /** Opens a session, and signs for it. `idempotencyKey` of its subscription or payment is the result's. */
  async open(
    kind: SessionKind,
    payer: Payer,
    { offerId, priceId, quantity = null, coupon = null }: Bought,
  ): Promise<{
    readonly sessionKey: string;
    readonly idempotencyKey: string;
    readonly reported: Reported<SessionState>;
  }> {
    const sessionKey = String(this.#random.next());
    const idempotencyKey = `checkout:ses_${secretHash(sessionKey)}`;
    const chosen = { priceId, tokenKey: payer.till.chain.tokenKey, quantity, coupon };
    const asked = await this.#merchant.insist(`challenge of ${kind} by ${payer.wallet}`, async ({ billing }) => {
      const purchase = await purchaseOfOffer(billing, offerId, { ...chosen, address: payer.wallet });
      return challengePurchase(billing, purchase, PUBLIC_URL);
    });
    if (asked.kind !== 'answered') return { sessionKey, idempotencyKey, reported: asked };
    const signed = this.#sign(payer, asked.value);
    const reported = await this.#merchant.insist(`${kind} by ${payer.wallet}`, async ({ billing }) => {
      const input = { ...chosen, signed, sessionKey, collected: NOTHING_COLLECTED, refundWallet: null };
      return (await openCheckout(billing, offerId, kind, input, NOBODY_COUNTS)).resource;
    });
    return { sessionKey, idempotencyKey, reported };
  }

  session(sessionKey: string): Promise<Reported<SessionState>> {
    return this.#merchant.insist('session', ({ billing }) => continueSession(billing, sessionKey));
  }

  /** Signs at a link, unless it is refused. */
  async authorize(token: string, payer: Payer): Promise<void> {
    const { wallet } = payer;
    const asked = await this.#merchant.insist(`challenge of a link by ${wallet}`, async ({ billing }) =>
      challengePurchase(billing, await purchaseOfLink(billing, token, wallet), PUBLIC_URL),
    );
    if (asked.kind !== 'answered') return;
    const signed = this.#sign(payer, asked.value);
    await this.#merchant.insist(`${wallet} signs a link`, ({ billing }) => authorizeLink(billing, token, signed));
  }

  #sign({ wallet: payer, till: { chain } }: Payer, challenge: Challenged): Signed {
    const signature = chain.controls.sign(payer, challenge);
    this.signed.push({ payer, chain, ...namedIn(challenge) });
    return { address: payer, message: challenge.message, signature, permit: null };
  }
}

function namedIn({ mandate }: Challenged): Pick<SignedMandate, 'id' | 'agreement'> {
  return { id: mandateIdOf(mandate), agreement: mandate.router === null ? null : mandate.agreement };
}
