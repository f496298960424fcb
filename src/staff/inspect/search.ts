import { unknownCase } from '../../../machines/unknown-case.ts';
import { beginningWith, searchKey } from '../../billing/resources/search-keys.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { parseAddress } from '../../model/addresses.ts';
import { NEWEST_FIRST } from '../../model/lists.ts';
import type { Collections, CustomerDoc, EventDoc, MerchantDoc, OfferDoc } from '../../store/collections.ts';
import type { ActorDoc, ActorKind, Tenant } from '../../store/documents.ts';
import { paymentIdOf } from '../../store/ids.ts';
import type { CollectionName, Where } from '../../store/port.ts';
import { deliveryIdOf, eventOfDelivery } from '../../webhooks/deliveries.ts';
import type { SearchResult } from '../wire.ts';
import { kindOfId, PREFIXES } from './kinds.ts';
import { paymentRowOf } from './views.ts';

/** The most results of a kind; a more precise text finds the others. */
const FOUND_MAX = 20;

type Stores = Pick<HttpDeps, 'store' | 'catalog'>;

/** `within`: the conditions of the tenant; none for staff. */
type Deps = Stores & { readonly within: Partial<Tenant> };

/**
 * Finds an id in any spelling, with or without its prefix, or a URL that ends with one; a wallet; a transaction; an
 * email address; a merchant's reference or idempotency key; and whatever has a name, an email address or a reference
 * that begins with the text. Every query uses a declared index. `tenant`: only what a merchant has in one environment,
 * and has not deleted; null: everything, for staff.
 */
export async function search(stores: Stores, text: string, tenant: Tenant | null = null): Promise<SearchResult[]> {
  const within = tenant === null ? {} : { merchantId: tenant.merchantId, mode: tenant.mode };
  const found = await searchIn({ ...stores, within }, text);
  return tenant === null ? found : found.filter((result) => isOwn(result, tenant) && result.status !== 'deleted');
}

function isOwn({ merchantId, mode }: SearchResult, tenant: Tenant): boolean {
  return merchantId === tenant.merchantId && mode === tenant.mode;
}

async function searchIn(deps: Deps, text: string): Promise<SearchResult[]> {
  const words = text.replace(/[?#].*$/, '').split(/[/\s"'<>()]+/);
  const sought = words.findLast((word) => word !== '') ?? '';
  if (sought === '') return [];
  const [beginnings, ...found] = await Promise.all([
    byBeginnings(deps, text),
    ofEach(idsIn(sought), (id) => byId(deps, id)),
    byWallet(deps, sought),
    byTransaction(deps, sought),
    byWords(deps, text.trim()),
  ]);
  const exact = new Map(found.flat().map((result) => [keyOf(result), result]));
  // What the text names exactly comes first.
  const others = new Map(beginnings.map((result) => [keyOf(result), result]));
  return [...new Map([...exact, ...others, ...exact]).values()];
}

function keyOf({ kind, id }: SearchResult): string {
  return `${kind} ${id}`;
}

/** The ids that a text can mean: unchanged, in lower case, and with every prefix if it has none. */
function idsIn(sought: string): string[] {
  const text = sought.toLowerCase();
  const bare = /^[0-9a-hjkmnp-tv-z]{26}$/.test(text) ? PREFIXES.map((prefix) => `${prefix}_${text}`) : [];
  return [...new Set([paymentIdOf(text), ...bare])].filter((id) => kindOfId(id) !== null);
}

async function byId(deps: Deps, id: string): Promise<SearchResult[]> {
  const { actors, records } = deps.store;
  const kind = kindOfId(id);
  const why = 'its id';
  switch (kind) {
    case 'subscription':
    case 'payment':
      return (await actors.load(kind, [id])).map((doc) => ofActor(deps, doc, why));
    case 'delivery':
      return (await records.get('events', [eventOfDelivery(id)])).map((event) => ofEvent(event, why));
    case 'event':
      return (await records.get('events', [id])).map((event) => ofEvent(event, 'the event that it delivers'));
    case 'customer':
      return ofEach(await records.get('customers', [id]), (customer) => withOwn(deps, customer, why));
    case 'offer':
      return ofEach(await records.get('offers', [id]), (offer) => withSold(deps, offer, why));
    case 'price':
      return ofEach(await findBy(deps, 'offers', 'pricing.id', id), (offer) =>
        withSold(deps, offer, 'one of its prices'),
      );
    case 'merchant':
      return (await records.get('merchants', [id])).map((merchant) => ofMerchant(merchant, why));
    case 'wallet':
      return (await records.get('wallets', [id])).map((wallet) => ofPayout(wallet, why));
    case 'deposit':
      return byDeposit(deps, { 'arrivals.id': id }, 'an arrival at its deposit address');
    case null:
      return [];
    default:
      return unknownCase(kind, 'kind');
  }
}

async function ofEach<T>(docs: readonly T[], results: (doc: T) => Promise<SearchResult[]>): Promise<SearchResult[]> {
  return (await Promise.all(docs.map(results))).flat();
}

/** The payments with their own deposit address. */
async function byDeposit(deps: Deps, where: Where, why: string): Promise<SearchResult[]> {
  const books = await deps.store.records.find('deposits', { where: { ...deps.within, ...where }, limit: FOUND_MAX });
  const docs = await deps.store.actors.load(
    'payment',
    books.map(({ _id }) => _id),
  );
  return docs.map((doc) => ofActor(deps, doc, why));
}

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Payers' wallets, customers' wallets, and merchants' payout wallets. Documents have checksummed EVM addresses, keys
 * have lower case.
 */
async function byWallet(deps: Deps, sought: string): Promise<SearchResult[]> {
  const isEvm = EVM_ADDRESS.test(sought);
  if (!isEvm && !SOLANA_ADDRESS.test(sought)) return [];
  const spellings = [sought, ...(isEvm ? [parseAddress('evm', sought.toLowerCase()) ?? sought] : [])];
  const key = isEvm ? `evm:${sought.toLowerCase()}` : `solana:${sought}`;
  const own = { in: spellings };
  const [customers, subscriptions, payments, payouts, awaiting] = await Promise.all([
    findBy(deps, 'customers', 'walletKeys', key),
    newestActors(deps, 'subscription', { 'context.payerWallet': own }),
    newestActors(deps, 'payment', { 'context.fromWallet': own }),
    findBy(deps, 'wallets', 'receiverWallet', own),
    byDeposit(deps, { address: own }, 'its deposit address'),
  ]);
  return [
    ...subscriptions.map((doc) => ofActor(deps, doc, 'the wallet that pays')),
    ...payments.map((doc) => ofActor(deps, doc, 'the wallet that paid')),
    ...awaiting,
    ...customers.map((customer) => ofCustomer(customer, 'one of its wallets')),
    ...payouts.map((wallet) => ofPayout(wallet, 'its payout address')),
  ];
}

function newestActors(deps: Deps, kind: ActorKind, where: Where) {
  return deps.store.actors.find(kind, { where: { ...deps.within, ...where }, sort: NEWEST_FIRST, limit: FOUND_MAX });
}

const EVM_HASH = /^0x[0-9a-fA-F]{64}$/;
const SOLANA_SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{80,90}$/;

/** The payments of the charges in a transaction, in any of its versions; also by the key of a charge. */
async function byTransaction(deps: Deps, sought: string): Promise<SearchResult[]> {
  const isEvm = EVM_HASH.test(sought);
  if (!isEvm && !SOLANA_SIGNATURE.test(sought)) return [];
  const hash = isEvm ? sought.toLowerCase() : sought;
  const { records } = deps.store;
  const [landed, signed, keyed, arrived] = await Promise.all([
    records.find('charges', { where: { txHash: hash }, limit: FOUND_MAX }),
    records.find('transactions', { where: { 'versions.hash': hash }, limit: FOUND_MAX }),
    records.find('charges', { where: { _id: { gte: `${hash}:`, lt: `${hash};` } }, limit: FOUND_MAX }),
    byDeposit(deps, { 'arrivals.txHash': hash }, 'a transfer to its deposit address'),
  ]);
  const carried = await records.get('charges', signed.flatMap(({ chargeIds }) => chargeIds).slice(0, 50));
  const ids = new Set([...landed, ...carried, ...keyed].map(({ paymentId }) => paymentId));
  const docs = await deps.store.actors.load('payment', [...ids]);
  return [...docs.map((doc) => ofActor(deps, doc, 'a transaction of its charge')), ...arrived];
}

/** An email address as sent or in lower case, a merchant's own reference, or an idempotency key. */
async function byWords(deps: Deps, text: string): Promise<SearchResult[]> {
  if (text.length > 255) return [];
  const emails = text.includes('@') ? [...new Set([text, text.toLowerCase()])] : [];
  const [byEmail, byReference, offers, claims] = await Promise.all([
    Promise.all(emails.map((email) => findBy(deps, 'customers', 'email', email))),
    findBy(deps, 'customers', 'merchantReferenceId', text),
    findBy(deps, 'offers', 'reference', text),
    deps.store.records.get('idempotencyKeys', [`test:${text}`, `live:${text}`]),
  ]);
  const payments = await deps.store.actors.load(
    'payment',
    claims.map(({ actorId }) => actorId),
  );
  return [
    ...(await ofEach(byEmail.flat(), (customer) => withOwn(deps, customer, 'its email address'))),
    ...(await ofEach(byReference, (customer) => withOwn(deps, customer, 'its reference'))),
    ...(await ofEach(offers, (offer) => withSold(deps, offer, 'its reference'))),
    ...payments.map((doc) => ofActor(deps, doc, 'its idempotency key')),
  ];
}

/** Merchants, customers and offers, without their own resources: each has a page that lists those. */
async function byBeginnings(deps: Deps, text: string): Promise<SearchResult[]> {
  const key = searchKey(text);
  if (key === null) return [];
  const [merchants, offers, names, emails, references] = await Promise.all([
    deps.within.merchantId === undefined ? findByBeginning(deps, 'merchants', 'nameKey', key) : [],
    findByBeginning(deps, 'offers', 'nameKey', key),
    findByBeginning(deps, 'customers', 'nameKey', key),
    findByBeginning(deps, 'customers', 'emailKey', key),
    findByBeginning(deps, 'customers', 'referenceKey', key),
  ]);
  return [
    ...merchants.map((merchant) => ofMerchant(merchant, 'the beginning of its name')),
    ...names.map((customer) => ofCustomer(customer, 'the beginning of its name')),
    ...emails.map((customer) => ofCustomer(customer, 'the beginning of its email address')),
    ...references.map((customer) => ofCustomer(customer, 'the beginning of its reference')),
    ...offers.map((offer) => ofOffer(offer, 'the beginning of its name')),
  ];
}

function findByBeginning<C extends CollectionName>(
  { store, within }: Deps,
  from: C,
  path: string,
  key: string,
): Promise<Collections[C][]> {
  const where = { ...within, [path]: beginningWith(key) };
  return store.records.find(from, { where, sort: [[path, 1]], limit: FOUND_MAX });
}

function findBy<C extends CollectionName>(
  deps: Deps,
  from: C,
  path: string,
  value: Where[string],
): Promise<Collections[C][]> {
  const where = { ...deps.within, [path]: value };
  return deps.store.records.find(from, { where, sort: NEWEST_FIRST, limit: FOUND_MAX });
}

async function withOwn(deps: Deps, customer: CustomerDoc, why: string): Promise<SearchResult[]> {
  const { merchantId, mode, _id } = customer;
  const query = { where: { merchantId, mode, 'attributes.customerId': _id }, sort: NEWEST_FIRST, limit: FOUND_MAX };
  const [subscriptions, payments] = await Promise.all([
    deps.store.actors.find('subscription', query),
    deps.store.actors.find('payment', query),
  ]);
  return [
    ofCustomer(customer, why),
    ...[...subscriptions, ...payments].map((doc) => ofActor(deps, doc, 'its customer')),
  ];
}

async function withSold(deps: Deps, offer: OfferDoc, why: string): Promise<SearchResult[]> {
  const { merchantId, mode, _id } = offer;
  const where = { merchantId, mode, 'attributes.offerId': _id };
  const sold = await deps.store.actors.find('subscription', { where, sort: NEWEST_FIRST, limit: FOUND_MAX });
  return [ofOffer(offer, why), ...sold.map((doc) => ofActor(deps, doc, 'its offer'))];
}

type Owned = Pick<OfferDoc, '_id' | 'merchantId' | 'createdAt'> & Pick<SearchResult, 'mode'>;
type About = Pick<SearchResult, 'kind' | 'title' | 'status' | 'why'>;

/** A payout wallet has no page of its own. */
function resultOf({ _id: id, merchantId, mode, createdAt }: Owned, about: About): SearchResult {
  return { id, merchantId, mode, createdAt: createdAt.toISOString(), isInspectable: about.kind !== 'wallet', ...about };
}

function ofActor(deps: Deps, doc: ActorDoc, why: string): SearchResult {
  return resultOf(doc, { kind: doc.kind, title: titleOf(deps, doc), status: doc.status, why });
}

function titleOf(deps: Deps, doc: ActorDoc): string {
  switch (doc.kind) {
    case 'subscription':
      return String(doc.attributes['offerName'] ?? 'A subscription');
    case 'payment':
      return paymentTitle(deps, doc);
    default:
      return unknownCase(doc.kind, 'kind');
  }
}

/** A title also for a payment that cannot be read. */
function paymentTitle(deps: Deps, doc: ActorDoc): string {
  try {
    const { amount, token, cycle, period } = paymentRowOf(deps, doc);
    return cycle === null ? `${amount} ${token}` : `${amount} ${token}, cycle ${cycle}: ${period}`;
  } catch {
    return 'A payment that cannot be read';
  }
}

function ofMerchant(merchant: MerchantDoc, why: string): SearchResult {
  const { _id: merchantId, name: title, status } = merchant;
  return resultOf({ ...merchant, merchantId, mode: null }, { kind: 'merchant', title, status, why });
}

function ofCustomer(customer: CustomerDoc, why: string): SearchResult {
  const { name, email, deletedAt } = customer;
  const status = deletedAt === null ? null : 'deleted';
  return resultOf(customer, { kind: 'customer', title: name ?? email ?? 'A customer', status, why });
}

function ofOffer(offer: OfferDoc, why: string): SearchResult {
  const { name: title, active, deletedAt } = offer;
  const activity = active ? 'active' : 'inactive';
  return resultOf(offer, { kind: 'offer', title, status: deletedAt === null ? activity : 'deleted', why });
}

function ofPayout(wallet: Collections['wallets'], why: string): SearchResult {
  const { tokenKey, receiverWallet } = wallet;
  const title = `Payout wallet of ${tokenKey ?? 'no token'}: ${receiverWallet ?? (tokenKey === null ? 'deleted' : 'removed')}`;
  return resultOf(wallet, { kind: 'wallet', title, status: null, why });
}

function ofEvent(event: EventDoc, why: string): SearchResult {
  const { event: title, status } = event;
  return resultOf({ ...event, _id: deliveryIdOf(event._id) }, { kind: 'delivery', title, status, why });
}
