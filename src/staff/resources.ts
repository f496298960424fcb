import { z } from 'zod';
import { quantityOf } from '../../machines/rules/price-model.ts';
import { requireMerchant } from '../billing/administration/account.ts';
import { listCustomers } from '../billing/customers/customers.ts';
import { listOffers } from '../billing/offers/offers.ts';
import { listSubscriptions } from '../billing/subscriptions/subscriptions.ts';
import { notFound } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { answer } from '../http/endpoint.ts';
import { page, pageOf, text } from '../http/input/fields.ts';
import { meteredOptionView } from '../http/metered.ts';
import { mode, momentOrNull, momentsOf, pageEcho, pageView, subscriptionStatus, unitsView } from '../http/schemas.ts';
import { pick } from '../model/pick.ts';
import { subscriptionAttributes, subscriptionContextOf, subscriptionStatusOf } from '../model/subscription.ts';
import type { CustomerDoc, OfferDoc, PricingOption } from '../store/collections.ts';
import type { ActorDoc, Tenant } from '../store/documents.ts';
import type { Where } from '../store/port.ts';
import { ofMerchant, staffEndpoint } from './endpoint.ts';
import {
  type CustomerRow,
  customerPageSchema,
  customerSchema,
  type OfferRow,
  offerPageSchema,
  offerSchema,
  type PriceRow,
  type SubscriptionRow,
  subscriptionRowSchema,
} from './wire.ts';

/** The highest count of the subscriptions of one customer or offer: a page costs the same for every offer. */
const COUNTED_MOST = 1_000;

const ofMode = { mode: mode.default('live') };

export const listStaffCustomers = staffEndpoint({
  summary: 'List the customers of a merchant in one environment, newest first, without deleted ones',
  params: ofMerchant,
  query: z.object({ ...ofMode, ...page }),
  responses: { 200: z.strictObject({ customers: z.array(customerSchema), ...pageEcho }) },
  errors: [404],
  handle: async ({ params: { merchantId }, query }, deps) => {
    await requireMerchant(deps.store.records, merchantId);
    const page = pageOf(query);
    const found = await listCustomers(deps, { merchantId, mode: query.mode }, page);
    return answer(200, { customers: found.items.map(customerView), ...pageView(page, found) });
  },
});

export const listStaffOffers = staffEndpoint({
  summary: 'List the offers of a merchant in one environment, newest first, without deleted ones',
  params: ofMerchant,
  query: z.object({ ...ofMode, ...page }),
  responses: { 200: z.strictObject({ offers: z.array(offerSchema), ...pageEcho }) },
  errors: [404],
  handle: async ({ params: { merchantId }, query }, deps) => {
    await requireMerchant(deps.store.records, merchantId);
    const page = pageOf(query);
    const found = await listOffers(deps, { merchantId, mode: query.mode }, page);
    const offers = found.items.map((offer) => offerView(offer, deps.config.publicUrl));
    return answer(200, { offers, ...pageView(page, found) });
  },
});

export const listStaffSubscriptions = staffEndpoint({
  summary: 'List the subscriptions of a merchant in one environment, newest first; also of one customer or one offer',
  params: ofMerchant,
  query: z.object({
    ...ofMode,
    status: subscriptionStatus.optional(),
    customerId: text(100).optional(),
    offerId: text(100).optional(),
    ...page,
  }),
  responses: { 200: z.strictObject({ subscriptions: z.array(subscriptionRowSchema), ...pageEcho }) },
  errors: [404],
  handle: async ({ params: { merchantId }, query }, deps) => {
    await requireMerchant(deps.store.records, merchantId);
    const page = pageOf(query);
    const found = await listSubscriptions(deps, { merchantId, mode: query.mode }, { ...query, ...page });
    return answer(200, { subscriptions: found.items.map(subscriptionRow), ...pageView(page, found) });
  },
});

export const getStaffCustomer = staffEndpoint({
  summary: 'Read a customer, also a deleted one, with its wallets and the number of its subscriptions',
  params: z.object({ customerId: z.string() }),
  responses: { 200: customerPageSchema },
  errors: [404],
  handle: async ({ params: { customerId } }, deps) => {
    const [customer] = await deps.store.records.get('customers', [customerId]);
    if (customer === undefined) throw notFound();
    return answer(200, {
      ...customerView(customer),
      ...(await around(deps, customer, { 'attributes.customerId': customerId })),
    });
  },
});

export const getStaffOffer = staffEndpoint({
  summary: 'Read an offer, also a deleted one, with its prices, its checkout and the number of subscriptions to it',
  params: z.object({ offerId: z.string() }),
  responses: { 200: offerPageSchema },
  errors: [404],
  handle: async ({ params: { offerId } }, deps) => {
    const [offer] = await deps.store.records.get('offers', [offerId]);
    if (offer === undefined) throw notFound();
    return answer(200, {
      ...offerView(offer, deps.config.publicUrl),
      ...(await around(deps, offer, { 'attributes.offerId': offerId })),
    });
  },
});

/** The merchant of a resource, and how many of the merchant's subscriptions are its own. */
async function around({ store }: Pick<HttpDeps, 'store'>, { merchantId, mode }: Tenant, own: Where) {
  const [{ _id: id, name, status }, count] = await Promise.all([
    requireMerchant(store.records, merchantId),
    store.actors.count('subscription', { merchantId, mode, ...own }, COUNTED_MOST),
  ]);
  return { merchant: { id, name, status }, subscriptions: { count, isCapped: count >= COUNTED_MOST } };
}

function customerView(customer: CustomerDoc): CustomerRow {
  return {
    id: customer._id,
    ...pick(customer, 'merchantId', 'mode', 'name', 'email', 'phone', 'merchantReferenceId'),
    wallets: customer.wallets.map(({ chainFamily, address }) => ({ chainFamily, address })),
    ...momentsOf(customer),
    deletedAt: momentOrNull(customer.deletedAt),
  };
}

/** `publicUrl` is the address of the hosted checkout. */
function offerView(offer: OfferDoc, publicUrl: string): OfferRow {
  return {
    id: offer._id,
    ...pick(offer, 'merchantId', 'mode', 'name', 'description', 'identifier', 'reference'),
    checkoutUrl: `${publicUrl}/checkout/${offer._id}`,
    prices: offer.pricing.map(priceView),
    ...pick(offer, 'active', 'availableQuantity', 'redeemedCount'),
    expiresAt: momentOrNull(offer.expiresAt),
    ...momentsOf(offer),
    deletedAt: momentOrNull(offer.deletedAt),
  };
}

function priceView(option: PricingOption): PriceRow {
  return {
    ...pick(option, 'id', 'label', 'amount', 'currency', 'trialDays', 'maxCycles', 'active'),
    billing: pick(option.billing, 'type', 'interval', 'intervalCount'),
    tokenKeys: option.acceptedTokens.map(({ tokenKey }) => tokenKey),
    units: unitsView(option.model),
    metered: meteredOptionView(option),
  };
}

function subscriptionRow(doc: ActorDoc): SubscriptionRow {
  const context = subscriptionContextOf(doc);
  return {
    id: doc._id,
    ...pick(doc, 'merchantId', 'mode'),
    status: subscriptionStatusOf(doc),
    ...pick(subscriptionAttributes.parse(doc.attributes), 'offerId', 'offerName', 'customerId'),
    ...pick(context.terms, 'priceAmount', 'priceCurrency'),
    quantity: quantityOf(context.terms),
    ...pick(context, 'cyclesCompleted', 'currentPeriodEnd'),
    createdAt: doc.createdAt.toISOString(),
  };
}
