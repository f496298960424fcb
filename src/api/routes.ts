import type { PublicEndpoint } from '../http/endpoint.ts';
import { LIMITS, type LimitRow } from '../http/middleware/rate-limit.ts';
import type { Method } from '../http/router.ts';
import type { MemberRole } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import { getAccount, updateAccount } from './account/account.ts';
import {
  createCoupon,
  getCoupon,
  listCoupons,
  listRedemptions,
  removeDiscount,
  setDiscount,
  updateCoupon,
} from './coupons/coupons.ts';
import { listCurrencies } from './currencies/list-currencies.ts';
import { createPortalSession } from './customers/create-portal-session.ts';
import { createCustomer, deleteCustomer, getCustomer, listCustomers, updateCustomer } from './customers/customers.ts';
import { getEvent, listEvents, redeliverEvent } from './events/events.ts';
import { createOffer } from './offers/create-offer.ts';
import { deleteOffer, deleteOffers, getOffer, listOffers, updateOffer, updateOffers } from './offers/offers.ts';
import { addPricing, retirePricing } from './offers/pricing.ts';
import { getInvoice } from './payments/invoice.ts';
import { cancelPayment, createPayment, getPayment, getPaymentProof, listPayments } from './payments/payments.ts';
import { cancelRefund, createRefund, getRefund, listRefunds, noteRefundSent } from './payments/refunds.ts';
import { getCohorts } from './revenue/get-cohorts.ts';
import { getRevenue } from './revenue/get-revenue.ts';
import { listSettlements } from './revenue/list-settlements.ts';
import { sandboxAdvance } from './sandbox/advance.ts';
import { sandboxCharge } from './sandbox/charge.ts';
import { createSubscription } from './subscriptions/create-subscription.ts';
import {
  cancelMigration,
  cancelSubscription,
  changePayer,
  changeQuantity,
  deleteSubscription,
  getSubscription,
  listSubscriptions,
  migrateSubscription,
  pauseSubscription,
  resumeSubscription,
  retrySubscription,
  updateSubscription,
} from './subscriptions/subscriptions.ts';
import { getUsage, recordUsage } from './subscriptions/usage.ts';
import { deleteWallet, listWallets, registerWallet } from './wallets/wallets.ts';
import { getWebhookEndpoint, getWebhookSecret, rotateWebhookSecret, setWebhookEndpoint } from './webhooks/endpoint.ts';

/** One row of the API. Nothing has a default, so that a new row has to say who may call it. */
export interface Route {
  readonly method: Method;
  /** Relative to `{base_url}`. Method and path together are the bucket of the limits. */
  readonly path: `/${string}`;
  readonly limits: LimitRow;
  /** The keys that it takes. A key of the other mode gets 403 before any limit (reference, section 8). */
  readonly mode: Mode | 'both';
  /** The least role of a member who may call it from the dashboard; `none`: it takes keys only. */
  readonly role: MemberRole | 'none';
  readonly endpoint: PublicEndpoint;
}

/**
 * THE table of the merchant API (reference, section 4): routing, metering, the calls of the dashboard and the published
 * document derive from it. The endpoint itself has schemas, statuses and the handler. A row is: method, path,
 * limits, mode, role, endpoint.
 */
export const ROUTES: readonly Route[] = [
  route('GET', '/currencies', LIMITS.byId, 'both', 'viewer', listCurrencies),

  route('POST', '/offers', LIMITS.write, 'both', 'member', createOffer),
  route('GET', '/offers', LIMITS.list, 'both', 'viewer', listOffers),
  route('PATCH', '/offers/batch', LIMITS.batch, 'both', 'member', updateOffers),
  route('DELETE', '/offers/batch', LIMITS.batch, 'both', 'member', deleteOffers),
  route('GET', '/offers/{offerId}', LIMITS.byId, 'both', 'viewer', getOffer),
  route('PATCH', '/offers/{offerId}', LIMITS.write, 'both', 'member', updateOffer),
  route('DELETE', '/offers/{offerId}', LIMITS.write, 'both', 'member', deleteOffer),
  route('POST', '/offers/{offerId}/pricing', LIMITS.write, 'both', 'member', addPricing),
  route('DELETE', '/offers/{offerId}/pricing/{priceId}', LIMITS.write, 'both', 'member', retirePricing),

  route('GET', '/wallets', LIMITS.list, 'both', 'viewer', listWallets),
  route('POST', '/wallets', LIMITS.write, 'both', 'none', registerWallet),
  route('DELETE', '/wallets/{id}', LIMITS.write, 'both', 'none', deleteWallet),

  route('POST', '/customers', LIMITS.write, 'both', 'member', createCustomer),
  route('GET', '/customers', LIMITS.list, 'both', 'viewer', listCustomers),
  route('GET', '/customers/{customerId}', LIMITS.byId, 'both', 'viewer', getCustomer),
  route('PATCH', '/customers/{customerId}', LIMITS.write, 'both', 'member', updateCustomer),
  route('DELETE', '/customers/{customerId}', LIMITS.write, 'both', 'member', deleteCustomer),
  route('POST', '/customers/{customerId}/portal-session', LIMITS.write, 'both', 'member', createPortalSession),

  route('POST', '/subscriptions', LIMITS.write, 'both', 'member', createSubscription),
  route('GET', '/subscriptions', LIMITS.list, 'both', 'viewer', listSubscriptions),
  route('GET', '/subscriptions/{subscriptionId}', LIMITS.byId, 'both', 'viewer', getSubscription),
  route('PATCH', '/subscriptions/{subscriptionId}', LIMITS.write, 'both', 'member', updateSubscription),
  route('DELETE', '/subscriptions/{subscriptionId}', LIMITS.write, 'both', 'member', deleteSubscription),
  route('POST', '/subscriptions/{subscriptionId}/cancel', LIMITS.write, 'both', 'member', cancelSubscription),
  route('POST', '/subscriptions/{subscriptionId}/retry', LIMITS.write, 'both', 'member', retrySubscription),
  route('POST', '/subscriptions/{subscriptionId}/pause', LIMITS.write, 'both', 'member', pauseSubscription),
  route('POST', '/subscriptions/{subscriptionId}/resume', LIMITS.write, 'both', 'member', resumeSubscription),
  route('POST', '/subscriptions/{subscriptionId}/migrate', LIMITS.write, 'both', 'member', migrateSubscription),
  route('DELETE', '/subscriptions/{subscriptionId}/migrate', LIMITS.write, 'both', 'member', cancelMigration),
  route('POST', '/subscriptions/{subscriptionId}/quantity', LIMITS.write, 'both', 'member', changeQuantity),
  route('POST', '/subscriptions/{subscriptionId}/discount', LIMITS.write, 'both', 'member', setDiscount),
  route('DELETE', '/subscriptions/{subscriptionId}/discount', LIMITS.write, 'both', 'member', removeDiscount),
  route('POST', '/subscriptions/{subscriptionId}/usage', LIMITS.usage, 'both', 'member', recordUsage),
  route('GET', '/subscriptions/{subscriptionId}/usage', LIMITS.byId, 'both', 'viewer', getUsage),
  route('POST', '/subscriptions/{subscriptionId}/change-payer', LIMITS.write, 'both', 'member', changePayer),

  route('POST', '/coupons', LIMITS.write, 'both', 'member', createCoupon),
  route('GET', '/coupons', LIMITS.list, 'both', 'viewer', listCoupons),
  route('GET', '/coupons/{couponId}', LIMITS.byId, 'both', 'viewer', getCoupon),
  route('PATCH', '/coupons/{couponId}', LIMITS.write, 'both', 'member', updateCoupon),
  route('GET', '/coupons/{couponId}/redemptions', LIMITS.list, 'both', 'viewer', listRedemptions),

  route('POST', '/payments', LIMITS.write, 'both', 'member', createPayment),
  route('GET', '/payments', LIMITS.list, 'both', 'viewer', listPayments),
  route('GET', '/payments/{paymentId}', LIMITS.byId, 'both', 'viewer', getPayment),
  route('GET', '/payments/{paymentId}/proof', LIMITS.byId, 'both', 'viewer', getPaymentProof),
  route('GET', '/payments/{paymentId}/invoice', LIMITS.byId, 'both', 'viewer', getInvoice),
  route('POST', '/payments/{paymentId}/cancel', LIMITS.write, 'both', 'member', cancelPayment),

  route('POST', '/payments/{paymentId}/refunds', LIMITS.write, 'both', 'member', createRefund),
  route('GET', '/payments/{paymentId}/refunds', LIMITS.byId, 'both', 'viewer', listRefunds),
  route('GET', '/payments/{paymentId}/refunds/{refundId}', LIMITS.byId, 'both', 'viewer', getRefund),
  route('POST', '/payments/{paymentId}/refunds/{refundId}/cancel', LIMITS.write, 'both', 'member', cancelRefund),
  route('POST', '/payments/{paymentId}/refunds/{refundId}/sent', LIMITS.write, 'both', 'member', noteRefundSent),

  route('GET', '/revenue', LIMITS.batch, 'both', 'viewer', getRevenue),
  route('GET', '/revenue/cohorts', LIMITS.batch, 'both', 'viewer', getCohorts),
  route('GET', '/settlements', LIMITS.batch, 'both', 'viewer', listSettlements),

  route('GET', '/account', LIMITS.byId, 'both', 'viewer', getAccount),
  route('PATCH', '/account', LIMITS.write, 'both', 'admin', updateAccount),

  route('PATCH', '/webhooks/endpoint', LIMITS.secret, 'both', 'admin', setWebhookEndpoint),
  route('GET', '/webhooks/endpoint', LIMITS.secret, 'both', 'viewer', getWebhookEndpoint),
  route('GET', '/webhooks/secret', LIMITS.secret, 'both', 'admin', getWebhookSecret),
  route('POST', '/webhooks/secret/rotate', LIMITS.rotate, 'both', 'admin', rotateWebhookSecret),

  route('GET', '/events', LIMITS.list, 'both', 'viewer', listEvents),
  route('GET', '/events/{eventId}', LIMITS.byId, 'both', 'viewer', getEvent),
  route('POST', '/events/{eventId}/redeliver', LIMITS.rotate, 'both', 'member', redeliverEvent),

  route('POST', '/sandbox/charge', LIMITS.sandbox, 'test', 'member', sandboxCharge),
  route('POST', '/sandbox/advance', LIMITS.sandbox, 'test', 'member', sandboxAdvance),
];

export function takesMode(row: Route, mode: Mode): boolean {
  return row.mode === 'both' || row.mode === mode;
}

/** Error statuses of every metered endpoint, beside its own. */
const COMMON_ERRORS: readonly number[] = [400, 401, 429, 500, 503];

/** Every documented status of an endpoint; it never sends another one. */
export function statusesOf(row: Route): number[] {
  const own = Object.keys(row.endpoint.responses).map(Number);
  const otherMode = row.mode === 'both' ? [] : [403];
  return [...new Set([...own, ...row.endpoint.errors, ...otherMode, ...COMMON_ERRORS])].sort((a, b) => a - b);
}

function route(
  method: Method,
  path: `/${string}`,
  limits: LimitRow,
  mode: Route['mode'],
  role: Route['role'],
  endpoint: PublicEndpoint,
): Route {
  return { method, path, limits, mode, role, endpoint };
}
