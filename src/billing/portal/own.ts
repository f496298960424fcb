import { notFound } from '../../errors/fault.ts';
import { NEWEST_FIRST, readPage } from '../../model/lists.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import { compact } from '../../model/pick.ts';
import { subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { CustomerDoc, MerchantDoc, PortalSubject } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { paymentIdOf } from '../../store/ids.ts';
import type { Where } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import type { BillingDeps } from '../deps.ts';

/*
 * What belongs to the subject of a session, and nothing else: every read of the portal comes through here
 * (docs/rules.md, "Portal"). A wallet owns what it pays, at every merchant. A customer owns what the merchant has for
 * them.
 */

type OwnDeps = Pick<BillingDeps, 'store' | 'catalog'>;

const PAGE = 20;

/** A page of a list, and the id after which the next one begins; null: there is none. */
export interface OwnPage {
  readonly docs: readonly ActorDoc[];
  readonly next: string | null;
}

/** The subject's own subscription. Throws 404 for every other one. */
export function requireOwnSubscription(deps: OwnDeps, subject: PortalSubject, id: string): Promise<ActorDoc> {
  return requireOwn(deps, subject, SUBSCRIPTIONS, id);
}

/** The subject's own payment. Throws 404 for every other one. */
export function requireOwnPayment(deps: OwnDeps, subject: PortalSubject, id: string): Promise<ActorDoc> {
  return requireOwn(deps, subject, PAYMENTS, paymentIdOf(id));
}

/** Newest first, canceled ones too. */
export function ownSubscriptions(
  deps: OwnDeps,
  subject: PortalSubject,
  startingAfter: string | undefined,
): Promise<OwnPage> {
  return ownPage(deps, subject, SUBSCRIPTIONS, {}, startingAfter);
}

/**
 * The customer whom the invoices of a subscription name; null: the merchant makes none, or another wallet pays, which
 * does not see who the customer is.
 */
export async function ownInvoiceParty(
  { store }: Pick<OwnDeps, 'store'>,
  subject: PortalSubject,
  { invoicing }: MerchantDoc,
  doc: ActorDoc,
): Promise<CustomerDoc | null> {
  const { customerId } = subscriptionAttributes.parse(doc.attributes);
  if (invoicing === undefined || doc.status === 'canceled') return null;
  const customer = await tenantStore(store, doc).record('customers', customerId);
  if (customer === null || customer.deletedAt !== null) return null;
  const isOwn = subject.kind === 'customer' || customer.wallets.some(({ address }) => address === subject.wallet);
  return isOwn ? customer : null;
}

export interface OwnPaymentsFilter {
  /** Absent: of all subscriptions, and one-off ones. */
  readonly subscriptionId?: string | undefined;
  readonly source?: 'one_time' | 'subscription' | undefined;
  readonly startingAfter?: string | undefined;
}

/** Newest first. Of a subscription that another wallet has paid before, a wallet sees its own payments. */
export function ownPayments(
  deps: OwnDeps,
  subject: PortalSubject,
  { subscriptionId, source, startingAfter }: OwnPaymentsFilter,
): Promise<OwnPage> {
  const where = compact({ 'attributes.subscriptionId': subscriptionId, 'attributes.source': source });
  return ownPage(deps, subject, PAYMENTS, where, startingAfter);
}

/** The fields by which a document belongs to somebody. */
interface Owned {
  readonly kind: 'subscription' | 'payment';
  /** The path of the wallet that pays. */
  readonly path: string;
  readonly ownerOf: (doc: ActorDoc) => { readonly wallet: string | null; readonly customerId: string | null };
  readonly tokenKeyOf: (doc: ActorDoc) => string;
}

const SUBSCRIPTIONS: Owned = {
  kind: 'subscription',
  path: 'context.payerWallet',
  ownerOf: (doc) => ({
    wallet: subscriptionContextOf(doc).payerWallet,
    customerId: subscriptionAttributes.parse(doc.attributes).customerId,
  }),
  tokenKeyOf: (doc) => subscriptionContextOf(doc).terms.tokenKey,
};

const PAYMENTS: Owned = {
  kind: 'payment',
  path: 'context.fromWallet',
  ownerOf: (doc) => ({
    wallet: paymentContextOf(doc).fromWallet,
    customerId: paymentAttributes.parse(doc.attributes).customerId,
  }),
  tokenKeyOf: (doc) => paymentAttributes.parse(doc.attributes).tokenKey,
};

async function requireOwn(deps: OwnDeps, subject: PortalSubject, owned: Owned, id: string): Promise<ActorDoc> {
  const doc = await ownDocument(deps, subject, owned, id);
  if (doc === null || !isOnChain(deps, subject, owned, doc)) throw notFound();
  return doc;
}

async function ownPage(
  deps: OwnDeps,
  subject: PortalSubject,
  owned: Owned,
  filter: Where,
  startingAfter: string | undefined,
): Promise<OwnPage> {
  const where = { ...filter, ...whereOf(subject, owned) };
  const { items, hasMore } = await readPage(
    { limit: PAGE, start: 0, startingAfter },
    {
      sort: NEWEST_FIRST,
      get: (id) => ownDocument(deps, subject, owned, id),
      find: (query) => deps.store.actors.find(owned.kind, { where, ...query }),
    },
  );
  const docs = items.filter((doc) => isOnChain(deps, subject, owned, doc));
  return { docs, next: hasMore ? (items.at(-1)?._id ?? null) : null };
}

/** null: it is somebody else's, or does not exist. */
async function ownDocument(
  { store }: OwnDeps,
  subject: PortalSubject,
  { kind, ownerOf }: Owned,
  id: string,
): Promise<ActorDoc | null> {
  const [doc] = await store.actors.load(kind, [id]);
  if (doc === undefined) return null;
  const { wallet, customerId } = ownerOf(doc);
  if (subject.kind === 'wallet') return wallet === subject.wallet ? doc : null;
  const isOfMerchant = doc.merchantId === subject.merchantId && doc.mode === subject.mode;
  return isOfMerchant && customerId === subject.customerId ? doc : null;
}

function whereOf(subject: PortalSubject, { path }: Owned): Where {
  if (subject.kind === 'wallet') return { [path]: subject.wallet };
  const { merchantId, mode, customerId } = subject;
  return { merchantId, mode, 'attributes.customerId': customerId };
}

/** A contract that has signed in owns its address on its own chain alone. */
function isOnChain({ catalog }: OwnDeps, subject: PortalSubject, { tokenKeyOf }: Owned, doc: ActorDoc): boolean {
  if (subject.kind === 'customer' || subject.chainId === null) return true;
  const answer = catalog.play(tokenKeyOf(doc), doc.mode);
  return answer.ok && answer.play.chainId === subject.chainId;
}
