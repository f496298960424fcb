import { conflict } from '../../errors/fault.ts';
import { operatorConsent } from '../../model/consent.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import { isLive, subscriptionContextOf } from '../../model/subscription.ts';
import type { MerchantDoc, PortalSubject } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { draftApproval } from '../checkout/approvals.ts';
import type { CheckoutDeps } from '../checkout/deps.ts';
import { type CustomersDeps, type UpdateCustomer, updateCustomer } from '../customers/changes.ts';
import type { Proof } from '../proof/document.ts';
import { type ProofsDeps, proofOf } from '../proof/proofs.ts';
import type { ReceiptPath } from '../receipts/links.ts';
import { issueAuthorization, NEW_PAYER_DAYS } from '../subscriptions/authorizations.ts';
import type { SubscriptionsDeps } from '../subscriptions/deps.ts';
import { migrateSubscription } from '../subscriptions/migrate.ts';
import { pauseRulesOf, pauseSubscription } from '../subscriptions/pause.ts';
import { ownChanges, whyNoChange } from '../subscriptions/plan-changes.ts';
import { changeQuantity } from '../subscriptions/quantity.ts';
import { resumeSubscription } from '../subscriptions/resume.ts';
import { cancelMigration, cancelSubscription } from '../subscriptions/subscriptions.ts';
import {
  type OwnPaymentsFilter,
  ownInvoiceParty,
  ownPayments,
  ownSubscriptions,
  requireOwnPayment,
  requireOwnSubscription,
} from './own.ts';
import {
  hasEnd,
  merchantsOf,
  type OwnSubscription,
  type OwnSubscriptionState,
  ownSubscription,
  ownSubscriptionState,
} from './own-subscription.ts';

/** How the journal names a payer who acts in the portal. */
const PAYER = 'payer';

export interface OwnPayment {
  readonly doc: ActorDoc;
  readonly merchant: MerchantDoc;
  /** The offer that was bought; null: none, or it is gone. */
  readonly offerName: string | null;
  readonly hasProof: boolean;
  /** null: it is not settled. */
  readonly receiptPath: ReceiptPath | null;
}

/** A page of a list, and the id after which the next one begins; null: there is none. */
interface PortalPage<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface PortalDeps extends CheckoutDeps, CustomersDeps, SubscriptionsDeps, ProofsDeps {
  readonly engine: CheckoutDeps['engine'];
  readonly watcher: CheckoutDeps['watcher'] & SubscriptionsDeps['watcher'];
}

/*
 * The portal of payers (docs/rules.md, "Portal"). Each call sees only what belongs to the subject of a session, and
 * throws 404 for everything else.
 */

/** A wallet does not see what another one has paid. */
export async function getOwnSubscription(
  deps: PortalDeps,
  subject: PortalSubject,
  id: string,
): Promise<OwnSubscriptionState> {
  return ownSubscriptionState(deps, await requireOwnSubscription(deps, subject, id), subject, (payment) => {
    const { fromWallet } = paymentContextOf(payment);
    return subject.kind === 'customer' || fromWallet === null || fromWallet === subject.wallet;
  });
}

/** Throws 409, as `proofOf`. */
export async function proveOwnPayment(deps: PortalDeps, subject: PortalSubject, paymentId: string): Promise<Proof> {
  const payment = await requireOwnPayment(deps, subject, paymentId);
  return proofOf(deps, payment, payment._id);
}

/** What the payer does with one own subscription. */
export type OwnAct<T> = (deps: PortalDeps, doc: ActorDoc, subject: PortalSubject) => Promise<T>;

/** Finds the own subscription, and acts on it. */
export async function actOnOwn<T>(deps: PortalDeps, subject: PortalSubject, id: string, act: OwnAct<T>): Promise<T> {
  return act(deps, await requireOwnSubscription(deps, subject, id), subject);
}

/** Throws 409 if it has ended, and for `atPeriodEnd` without a running period. */
export async function cancelOwn(deps: PortalDeps, doc: ActorDoc, atPeriodEnd: boolean): Promise<void> {
  if (atPeriodEnd && isLive(doc) && !hasEnd(doc, deps.clock())) {
    throw conflict('No paid period is running; end the subscription now instead');
  }
  await cancelSubscription(deps, doc, doc._id, { atPeriodEnd, canceledBy: 'payer' }, PAYER);
}

/** Throws 400 for an end that is not ahead, and 409 if only the merchant pauses, or with the reason. */
export async function pauseOwn(deps: PortalDeps, doc: ActorDoc, until: Date | null): Promise<void> {
  const { byCustomer } = await pauseRulesOf(deps.store, doc);
  if (!byCustomer) throw conflict('The merchant pauses this subscription; ask there');
  await pauseSubscription(deps, doc, doc._id, { until, by: 'payer' }, PAYER);
}

/** Takes a scheduled end back, and ends the payer's own pause. Throws 409 if there is neither. */
export async function resumeOwn(deps: PortalDeps, doc: ActorDoc): Promise<void> {
  const { pause, cancelAt } = subscriptionContextOf(doc);
  if (isLive(doc) && cancelAt === null && !pause) {
    throw conflict('No end of this subscription is scheduled, so there is nothing to take back');
  }
  if (pause?.by === 'merchant') throw conflict('The merchant has paused this subscription, and alone resumes it');
  await resumeSubscription(deps, doc, doc._id, PAYER);
}

/** From the next charge on, within the signed limits. Throws 400, and 409 if the price or an open cycle forbids it. */
export async function changeOwnQuantity(deps: PortalDeps, doc: ActorDoc, quantity: number): Promise<void> {
  const { model } = subscriptionContextOf(doc).terms;
  if (model?.kind === 'per_unit' && model.quantityChangedBy === 'merchant') {
    throw conflict('The merchant sets the quantity of this subscription; ask there');
  }
  await changeQuantity(deps, doc, doc._id, { quantity, idempotencyKey: null }, PAYER);
}

/**
 * The token of a link at which the payer authorizes another price, if the offer lets its customers change to it. Throws
 * 409.
 */
export async function changeOwnPlan(deps: PortalDeps, doc: ActorDoc, priceId: string): Promise<string> {
  await requireCharging(deps, doc);
  const whyNot = whyNoChange(subscriptionContextOf(doc));
  if (whyNot !== null) throw conflict(whyNot);
  const chosen = (await ownChanges(deps.store, doc, deps.clock())).find(({ option }) => option.id === priceId);
  if (chosen === undefined) throw conflict('The merchant does not offer this change any more; choose another one');
  const { terms, when, proration } = chosen.change;
  const to = { priceId, tokenKey: terms.tokenKey, when, proration };
  return (await migrateSubscription(deps, doc, doc._id, to, PAYER, conflict)).authorizationToken;
}

/** Takes a change back that has not begun. Throws 409. */
export async function cancelOwnChange(deps: PortalDeps, doc: ActorDoc): Promise<void> {
  await cancelMigration(deps, doc, doc._id, PAYER);
}

/** What later invoices say about the customer; issued ones stay. The merchant gets `customer.updated`. Throws 409. */
export async function correctOwnInvoices(
  deps: PortalDeps,
  doc: ActorDoc,
  subject: PortalSubject,
  details: Pick<UpdateCustomer, 'name' | 'address' | 'country' | 'taxId'>,
): Promise<void> {
  const customer = await ownInvoiceParty(deps, subject, (await merchantsOf(deps, [doc]))(doc), doc);
  if (customer === null)
    throw conflict('Only the merchant can change the name and address on these invoices; ask there');
  await updateCustomer(deps, doc, customer._id, details);
}

/** Throws 409 if nothing is charged any more. */
async function requireCharging(deps: PortalDeps, doc: ActorDoc): Promise<void> {
  if (!isLive(doc)) throw conflict('This subscription has ended; subscribe again at the merchant');
  const merchantOf = await merchantsOf(deps, [doc]);
  if (merchantOf(doc).status !== 'active') throw conflict('This merchant is suspended, and charges nothing');
}

/**
 * The token of a link at which any wallet can authorize it again and pay it from then on: its payer confirms a new one
 * by this request. Throws 409.
 */
export async function authorizeOwn(deps: PortalDeps, doc: ActorDoc): Promise<string> {
  await requireCharging(deps, doc);
  return issueAuthorization(deps, doc, { kind: 'subscription' }, NEW_PAYER_DAYS);
}

/** Solana: the unsigned transaction, base64, that takes the approval back. Throws 400 and 409. */
export async function draftOwnRevocation(deps: PortalDeps, doc: ActorDoc, address: string): Promise<string> {
  const { terms, consent } = subscriptionContextOf(doc);
  const approved = { tokenKey: terms.tokenKey, consent: operatorConsent(consent) };
  return draftApproval(deps, doc, approved, { address, value: '0' });
}

/** Newest first. Throws 400. */
export async function listOwnSubscriptions(
  deps: PortalDeps,
  subject: PortalSubject,
  startingAfter: string | undefined,
): Promise<PortalPage<OwnSubscription>> {
  const { docs, next } = await ownSubscriptions(deps, subject, startingAfter);
  const merchantOf = await merchantsOf(deps, docs);
  return { items: docs.map((doc) => ownSubscription(doc, merchantOf(doc), deps.clock())), next };
}

/** Newest first. Throws 400. */
export async function listOwnPayments(
  deps: PortalDeps,
  subject: PortalSubject,
  filter: OwnPaymentsFilter,
): Promise<PortalPage<OwnPayment>> {
  const { docs, next } = await ownPayments(deps, subject, filter);
  const [merchantOf, names] = await Promise.all([merchantsOf(deps, docs), offerNames(deps, docs)]);
  const items = docs.map(async (doc) => ({
    doc,
    merchant: merchantOf(doc),
    offerName: names.get(offerIdOf(doc) ?? '') ?? null,
    hasProof: doc.status === 'settled' && deps.signer !== null,
    receiptPath: doc.status === 'settled' ? await deps.receipts.pathOf(doc._id) : null,
  }));
  return { items: await Promise.all(items), next };
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
