import type { PublicEndpoint } from '../http/endpoint.ts';
import { LIMITS, type LimitRow } from '../http/limits.ts';
import type { Method } from '../http/router.ts';
import { listCurrencies } from './currencies/list-currencies.ts';
import { createCustomer } from './customers/create-customer.ts';
import { createPortalSession } from './customers/create-portal-session.ts';
import { deleteCustomer } from './customers/delete-customer.ts';
import { getCustomer } from './customers/get-customer.ts';
import { listCustomers } from './customers/list-customers.ts';
import { updateCustomer } from './customers/update-customer.ts';
import { getEvent } from './events/get-event.ts';
import { listEvents } from './events/list-events.ts';
import { redeliverEvent } from './events/redeliver-event.ts';
import { addPricing } from './offers/add-pricing.ts';
import { createOffer } from './offers/create-offer.ts';
import { deleteOffer } from './offers/delete-offer.ts';
import { deleteOffers } from './offers/delete-offers.ts';
import { getOffer } from './offers/get-offer.ts';
import { listOffers } from './offers/list-offers.ts';
import { retirePricing } from './offers/retire-pricing.ts';
import { updateOffer } from './offers/update-offer.ts';
import { updateOffers } from './offers/update-offers.ts';
import { cancelPayment } from './payments/cancel-payment.ts';
import { createPayment } from './payments/create-payment.ts';
import { getPayment } from './payments/get-payment.ts';
import { getPaymentProof } from './payments/get-proof.ts';
import { listPayments } from './payments/list-payments.ts';
import { getRevenue } from './revenue/get-revenue.ts';
import { sandboxAdvance } from './sandbox/advance.ts';
import { sandboxCharge } from './sandbox/charge.ts';
import { cancelSubscription } from './subscriptions/cancel-subscription.ts';
import { createSubscription } from './subscriptions/create-subscription.ts';
import { deleteSubscription } from './subscriptions/delete-subscription.ts';
import { getSubscription } from './subscriptions/get-subscription.ts';
import { listSubscriptions } from './subscriptions/list-subscriptions.ts';
import { migrateSubscription } from './subscriptions/migrate-subscription.ts';
import { resumeSubscription } from './subscriptions/resume-subscription.ts';
import { retrySubscription } from './subscriptions/retry-subscription.ts';
import { updateSubscription } from './subscriptions/update-subscription.ts';
import { deleteWallet } from './wallets/delete-wallet.ts';
import { listWallets } from './wallets/list-wallets.ts';
import { registerWallet } from './wallets/register-wallet.ts';
import { getWebhookEndpoint } from './webhooks/get-endpoint.ts';
import { getWebhookSecret } from './webhooks/get-secret.ts';
import { rotateWebhookSecret } from './webhooks/rotate-secret.ts';
import { setWebhookEndpoint } from './webhooks/set-endpoint.ts';

/** One row of the API. `path` is relative to `{base_url}`. Method and path together are the bucket of the limits. */
export interface Route {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly limits: LimitRow;
  readonly endpoint: PublicEndpoint;
}

/**
 * THE table of the merchant API (reference, section 4): routing, metering, checks and the published document derive from it.
 * The endpoint's own file has schemas, statuses and the handler.
 */
export const ROUTES: readonly Route[] = [
  route('GET', '/currencies', LIMITS.byId, listCurrencies),

  route('POST', '/offers', LIMITS.write, createOffer),
  route('GET', '/offers', LIMITS.list, listOffers),
  route('PATCH', '/offers/batch', LIMITS.batch, updateOffers),
  route('DELETE', '/offers/batch', LIMITS.batch, deleteOffers),
  route('GET', '/offers/{offerId}', LIMITS.byId, getOffer),
  route('PATCH', '/offers/{offerId}', LIMITS.write, updateOffer),
  route('DELETE', '/offers/{offerId}', LIMITS.write, deleteOffer),
  route('POST', '/offers/{offerId}/pricing', LIMITS.write, addPricing),
  route('DELETE', '/offers/{offerId}/pricing/{priceId}', LIMITS.write, retirePricing),

  route('GET', '/wallets', LIMITS.list, listWallets),
  route('POST', '/wallets', LIMITS.write, registerWallet),
  route('DELETE', '/wallets/{id}', LIMITS.write, deleteWallet),

  route('POST', '/customers', LIMITS.write, createCustomer),
  route('GET', '/customers', LIMITS.list, listCustomers),
  route('GET', '/customers/{customerId}', LIMITS.byId, getCustomer),
  route('PATCH', '/customers/{customerId}', LIMITS.write, updateCustomer),
  route('DELETE', '/customers/{customerId}', LIMITS.write, deleteCustomer),
  route('POST', '/customers/{customerId}/portal-session', LIMITS.write, createPortalSession),

  route('POST', '/subscriptions', LIMITS.write, createSubscription),
  route('GET', '/subscriptions', LIMITS.list, listSubscriptions),
  route('GET', '/subscriptions/{subscriptionId}', LIMITS.byId, getSubscription),
  route('PATCH', '/subscriptions/{subscriptionId}', LIMITS.write, updateSubscription),
  route('DELETE', '/subscriptions/{subscriptionId}', LIMITS.write, deleteSubscription),
  route('POST', '/subscriptions/{subscriptionId}/cancel', LIMITS.write, cancelSubscription),
  route('POST', '/subscriptions/{subscriptionId}/retry', LIMITS.write, retrySubscription),
  route('POST', '/subscriptions/{subscriptionId}/resume', LIMITS.write, resumeSubscription),
  route('POST', '/subscriptions/{subscriptionId}/migrate', LIMITS.write, migrateSubscription),

  route('POST', '/payments', LIMITS.write, createPayment),
  route('GET', '/payments', LIMITS.list, listPayments),
  route('GET', '/payments/{paymentId}', LIMITS.byId, getPayment),
  route('GET', '/payments/{paymentId}/proof', LIMITS.byId, getPaymentProof),
  route('POST', '/payments/{paymentId}/cancel', LIMITS.write, cancelPayment),

  route('GET', '/revenue', LIMITS.batch, getRevenue),

  route('PATCH', '/webhooks/endpoint', LIMITS.secret, setWebhookEndpoint),
  route('GET', '/webhooks/endpoint', LIMITS.secret, getWebhookEndpoint),
  route('GET', '/webhooks/secret', LIMITS.secret, getWebhookSecret),
  route('POST', '/webhooks/secret/rotate', LIMITS.rotate, rotateWebhookSecret),

  route('GET', '/events', LIMITS.list, listEvents),
  route('GET', '/events/{eventId}', LIMITS.byId, getEvent),
  route('POST', '/events/{eventId}/redeliver', LIMITS.rotate, redeliverEvent),

  route('POST', '/sandbox/charge', LIMITS.sandbox, sandboxCharge),
  route('POST', '/sandbox/advance', LIMITS.sandbox, sandboxAdvance),
];

/** Rows of the sandbox accept test keys only; a live key gets 403 before any limit (reference, section 8). */
export function isSandboxOnly({ limits }: Route): boolean {
  return limits === LIMITS.sandbox;
}

/** Error statuses of every metered endpoint, beside its own. */
const COMMON_ERRORS: readonly number[] = [400, 401, 429, 500, 503];

/** Every documented status of an endpoint; it never sends another one. */
export function statusesOf(row: Route): number[] {
  const own = Object.keys(row.endpoint.responses).map(Number);
  const sandbox = isSandboxOnly(row) ? [403] : [];
  return [...new Set([...own, ...row.endpoint.errors, ...sandbox, ...COMMON_ERRORS])].sort((a, b) => a - b);
}

function route(method: Method, path: `/${string}`, limits: LimitRow, endpoint: PublicEndpoint): Route {
  return { method, path, limits, endpoint };
}
