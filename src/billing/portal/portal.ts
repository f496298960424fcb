import type { CatalogChain } from '../../chains/catalog.ts';
import { conflict } from '../../errors/fault.ts';
import { operatorConsent } from '../../model/consent.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import type { OpenedSession } from '../../model/secrets.ts';
import { isLive, subscriptionContextOf } from '../../model/subscription.ts';
import type { MerchantDoc, PortalSubject } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { draftApproval } from '../checkout/approvals.ts';
import type { CheckoutDeps } from '../checkout/deps.ts';
import type { Proof } from '../proof/document.ts';
import type { Proofs } from '../proof/proofs.ts';
import type { SubscriptionsDeps } from '../subscriptions/deps.ts';
import { resumeSubscription } from '../subscriptions/resume.ts';
import { cancelSubscription } from '../subscriptions/subscriptions.ts';
import {
  type OwnPaymentsFilter,
  ownPayments,
  ownSubscriptions,
  requireOwnPayment,
  requireOwnSubscription,
} from './own.ts';
import { endPortalSession, findPortalSession, openForCustomer, type PortalSession } from './sessions.ts';
import { challengeWallet, type PortalChallenge, portalChains, type SignedIn, signInWallet } from './sign-in.ts';
import {
  hasEnd,
  merchantsOf,
  type OwnStanding,
  type OwnSubscription,
  ownStanding,
  ownSubscription,
} from './standing.ts';

/** How the journal names a payer who acts in the portal. */
const PAYER = 'payer';

export interface OwnPayment {
  readonly doc: ActorDoc;
  readonly merchant: MerchantDoc;
  /** The offer that was bought; null: none, or it is gone. */
  readonly offerName: string | null;
  readonly hasProof: boolean;
}

/** A page of a list, and the id after which the next one begins; null: there is none. */
interface PortalPage<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/**
 * The portal of payers (docs/rules.md, "Portal"). Each call sees only what belongs to the subject of a session, and
 * throws 404 for everything else.
 */
export interface Portal {
  /** The chains of this installation on which wallets pay. */
  chains(): readonly CatalogChain[];
  /** Throws 400. */
  challenge(
    input: { readonly address: string; readonly chainId: number | null },
    publicUrl: string,
  ): Promise<PortalChallenge>;
  /** Opens a session for a wallet that has signed its challenge, which is used up. Throws 400. */
  signIn(signed: SignedIn): Promise<OpenedSession>;
  /** Opens a session for a customer of the tenant, without a signature. Throws 404. */
  openFor(tenant: Tenant, customerId: string, returnUrl: string | null): Promise<OpenedSession>;
  /** null: unknown or over. */
  session(secret: string): Promise<PortalSession | null>;
  end(secret: string): Promise<void>;
  /** Newest first. Throws 400. */
  subscriptions(subject: PortalSubject, startingAfter: string | null): Promise<PortalPage<OwnSubscription>>;
  subscription(subject: PortalSubject, id: string): Promise<OwnStanding>;
  /** Newest first. Throws 400. */
  payments(subject: PortalSubject, filter: OwnPaymentsFilter): Promise<PortalPage<OwnPayment>>;
  /** Throws 409, as `Proofs`. */
  proof(subject: PortalSubject, paymentId: string): Promise<Proof>;
  /** Throws 409 if it has ended, and for `atPeriodEnd` without a running period. */
  cancel(subject: PortalSubject, id: string, how: { readonly atPeriodEnd: boolean }): Promise<OwnStanding>;
  /** Takes a scheduled end back. Throws 409 if there is none. */
  resume(subject: PortalSubject, id: string): Promise<OwnStanding>;
  /** The token of a link at which any wallet can authorize it again and pay it from then on. Throws 409. */
  authorize(subject: PortalSubject, id: string): Promise<string>;
  /** Solana: the unsigned transaction, base64, that takes the approval back. Throws 400 and 409. */
  revocation(subject: PortalSubject, id: string, address: string): Promise<string>;
}

export interface PortalDeps extends CheckoutDeps, SubscriptionsDeps {
  readonly watcher: CheckoutDeps['watcher'] & SubscriptionsDeps['watcher'];
  readonly proofs: Pick<Proofs, 'of' | 'isSigning'>;
}

export function createPortal(deps: PortalDeps): Portal {
  const own = (subject: PortalSubject, id: string) => requireOwnSubscription(deps, subject, id);
  return {
    chains: () => portalChains(deps),
    challenge: (input, publicUrl) => challengeWallet(deps, input, publicUrl),
    signIn: (signed) => signInWallet(deps, signed),
    openFor: (tenant, customerId, returnUrl) => openForCustomer(deps, tenant, customerId, returnUrl),
    session: (secret) => findPortalSession(deps, secret),
    end: (secret) => endPortalSession(deps, secret),
    subscriptions: (subject, startingAfter) => listSubscriptions(deps, subject, startingAfter),
    subscription: async (subject, id) => standingOf(deps, subject, await own(subject, id)),
    payments: (subject, filter) => listPayments(deps, subject, filter),
    proof: async (subject, paymentId) => {
      const payment = await requireOwnPayment(deps, subject, paymentId);
      return deps.proofs.of(payment, payment._id);
    },
    cancel: async (subject, id, how) => {
      const doc = await own(subject, id);
      if (how.atPeriodEnd && isLive(doc) && !hasEnd(doc, deps.clock())) {
        throw conflict('No paid period is running; end the subscription now instead');
      }
      await cancelSubscription(deps, doc, id, how, PAYER);
      return standingOf(deps, subject, await own(subject, id));
    },
    resume: async (subject, id) => {
      const doc = await own(subject, id);
      if (isLive(doc) && subscriptionContextOf(doc).cancelAt === null) {
        throw conflict('No end of this subscription is scheduled, so there is nothing to take back');
      }
      await resumeSubscription(deps, doc, id, PAYER);
      return standingOf(deps, subject, await own(subject, id));
    },
    authorize: async (subject, id) => {
      const doc = await own(subject, id);
      if (!isLive(doc)) throw conflict('This subscription has ended; subscribe again at the merchant');
      const merchantOf = await merchantsOf(deps, [doc]);
      if (merchantOf(doc).status !== 'active') throw conflict('This merchant is suspended, and charges nothing');
      return deps.authorizations.issue(doc, { kind: 'subscription' });
    },
    revocation: async (subject, id, address) => {
      const doc = await own(subject, id);
      const { terms, consent } = subscriptionContextOf(doc);
      const approved = { tokenKey: terms.tokenKey, consent: operatorConsent(consent) };
      return draftApproval(deps, doc, approved, { address, value: '0' });
    },
  };
}

/** A wallet does not see what another one has paid. */
function standingOf(deps: PortalDeps, subject: PortalSubject, doc: ActorDoc): Promise<OwnStanding> {
  return ownStanding(deps, doc, (payment) => {
    const { fromWallet } = paymentContextOf(payment);
    return subject.kind === 'customer' || fromWallet === null || fromWallet === subject.wallet;
  });
}

async function listSubscriptions(
  deps: PortalDeps,
  subject: PortalSubject,
  startingAfter: string | null,
): Promise<PortalPage<OwnSubscription>> {
  const { docs, next } = await ownSubscriptions(deps, subject, startingAfter);
  const merchantOf = await merchantsOf(deps, docs);
  return { items: docs.map((doc) => ownSubscription(doc, merchantOf(doc), deps.clock())), next };
}

async function listPayments(
  deps: PortalDeps,
  subject: PortalSubject,
  filter: OwnPaymentsFilter,
): Promise<PortalPage<OwnPayment>> {
  const { docs, next } = await ownPayments(deps, subject, filter);
  const [merchantOf, names] = await Promise.all([merchantsOf(deps, docs), offerNames(deps, docs)]);
  const items = docs.map((doc) => ({
    doc,
    merchant: merchantOf(doc),
    offerName: names.get(offerIdOf(doc) ?? '') ?? null,
    hasProof: doc.status === 'settled' && deps.proofs.isSigning,
  }));
  return { items, next };
}

function offerIdOf(payment: ActorDoc): string | null {
  return paymentAttributes.parse(payment.attributes).offerId;
}

async function offerNames(
  { store }: Pick<PortalDeps, 'store'>,
  payments: readonly ActorDoc[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(payments.flatMap((payment) => offerIdOf(payment) ?? []))];
  return new Map((await store.records.get('offers', ids)).map(({ _id, name }) => [_id, name]));
}
