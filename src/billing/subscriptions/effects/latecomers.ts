import type { Catalog } from '../../../chains/catalog.ts';
import type { Dispatch } from '../../../engine/types.ts';
import { isLive, subscriptionAttributes, subscriptionContextOf } from '../../../model/subscription.ts';
import type { CustomerDoc, OfferDoc } from '../../../store/collections.ts';
import type { ActorDoc } from '../../../store/documents.ts';
import { type NotifyDeps, quarantinedOf } from '../../actors/notify-live.ts';
import { cancelOfCustomer, cancelOfOffer, payerLinked } from './dispatches.ts';

interface Parties {
  readonly customers: ReadonlyMap<string, CustomerDoc>;
  readonly offers: ReadonlyMap<string, OfferDoc>;
}

/**
 * Corrects new subscriptions for concurrent changes that they could not see: if the customer or offer was deleted, the
 * subscription is canceled; if the customer got a first wallet, it bills that one. Returns the ids of quarantined ones,
 * which could not be corrected. An effect of the creating write calls this after that write, so no crash loses it. A
 * deletion searches for live subscriptions after its own write. So at least one of the two sees the other, in any order
 * and however late: no live subscription of a deleted customer or offer remains. POST /subscriptions has answered 201
 * by then.
 */
export async function settleLatecomers(
  deps: NotifyDeps & { readonly catalog: Catalog },
  docs: readonly ActorDoc[],
): Promise<ReadonlySet<string>> {
  const live = docs.filter(isLive);
  if (live.length === 0) return new Set();
  const parties = await partiesOf(deps, live);
  const events = live.map((doc) => missedBy(doc, parties, deps.catalog)).filter((event) => event !== null);
  return new Set(quarantinedOf(await deps.engine.dispatchMany(events)));
}

function missedBy(doc: ActorDoc, parties: Parties, catalog: Catalog): Dispatch<'subscription'> | null {
  const { customerId, offerId } = subscriptionAttributes.parse(doc.attributes);
  const customer = parties.customers.get(customerId);
  if (customer !== undefined && customer.deletedAt !== null) return cancelOfCustomer(doc._id, customerId);
  const offer = parties.offers.get(offerId);
  if (offer !== undefined && offer.deletedAt !== null) return cancelOfOffer(doc._id, offerId);
  const { payerWallet, terms } = subscriptionContextOf(doc);
  if (payerWallet !== null) return null;
  const family = catalog.tokenByKey(terms.tokenKey)?.family;
  const wallet = customer?.wallets.find(({ chainFamily }) => chainFamily === family)?.address;
  return wallet === undefined ? null : payerLinked(doc._id, customerId, wallet);
}

async function partiesOf({ store }: NotifyDeps, docs: readonly ActorDoc[]): Promise<Parties> {
  const attributes = docs.map((doc) => subscriptionAttributes.parse(doc.attributes));
  const [customers, offers] = await Promise.all([
    store.records.get('customers', [...new Set(attributes.map(({ customerId }) => customerId))]),
    store.records.get('offers', [...new Set(attributes.map(({ offerId }) => offerId))]),
  ]);
  return {
    customers: new Map(customers.map((customer) => [customer._id, customer])),
    offers: new Map(offers.map((offer) => [offer._id, offer])),
  };
}
