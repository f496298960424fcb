import type { MemberRole } from '../../src/dashboard/wire.ts';
import type { Mode } from '../../src/store/documents.ts';

/** The lists of the reference, which the document must match. */

/**
 * Sections 4 and 8, with docs/rules.md, "Limits", where they say "not shown": the route; the least role of a member in
 * the dashboard (docs/rules.md, "Dashboard"); the mode of the keys that it takes; live keys per day and minute, then
 * test keys; and the statuses beside 400, 401, 429, 500 and 503.
 */
export const REFERENCE: readonly (readonly [string, MemberRole | 'none', Mode | 'both', string, string])[] = [
  ['GET /currencies', 'viewer', 'both', '60000 240 20000 120', '200'],
  ['POST /offers', 'member', 'both', '15000 60 5000 30', '200 201 409'],
  ['GET /offers', 'viewer', 'both', '30000 120 10000 60', '200'],
  ['PATCH /offers/batch', 'member', 'both', '5000 20 2000 10', '200'],
  ['DELETE /offers/batch', 'member', 'both', '5000 20 2000 10', '200'],
  ['GET /offers/{offerId}', 'viewer', 'both', '60000 240 20000 120', '200 404'],
  ['PATCH /offers/{offerId}', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['DELETE /offers/{offerId}', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /offers/{offerId}/pricing', 'member', 'both', '15000 60 5000 30', '201 404 409'],
  ['DELETE /offers/{offerId}/pricing/{priceId}', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['GET /wallets', 'viewer', 'both', '30000 120 10000 60', '200'],
  ['POST /wallets', 'none', 'both', '15000 60 5000 30', '200 201'],
  ['DELETE /wallets/{id}', 'none', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /customers', 'member', 'both', '15000 60 5000 30', '200 201 409'],
  ['GET /customers', 'viewer', 'both', '30000 120 10000 60', '200'],
  ['GET /customers/{customerId}', 'viewer', 'both', '60000 240 20000 120', '200 404'],
  ['PATCH /customers/{customerId}', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['DELETE /customers/{customerId}', 'member', 'both', '15000 60 5000 30', '200 404'],
  ['POST /customers/{customerId}/portal-session', 'member', 'both', '15000 60 5000 30', '201 404'],
  ['POST /subscriptions', 'member', 'both', '15000 60 5000 30', '200 201 404'],
  ['GET /subscriptions', 'viewer', 'both', '30000 120 10000 60', '200'],
  ['GET /subscriptions/{subscriptionId}', 'viewer', 'both', '60000 240 20000 120', '200 404'],
  ['PATCH /subscriptions/{subscriptionId}', 'member', 'both', '15000 60 5000 30', '200 404'],
  ['DELETE /subscriptions/{subscriptionId}', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/cancel', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/retry', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/pause', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/resume', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/migrate', 'member', 'both', '15000 60 5000 30', '200 404'],
  ['DELETE /subscriptions/{subscriptionId}/migrate', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/quantity', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/discount', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['DELETE /subscriptions/{subscriptionId}/discount', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/usage', 'member', 'both', '500000 1200 20000 120', '200 201 404 409'],
  ['GET /subscriptions/{subscriptionId}/usage', 'viewer', 'both', '60000 240 20000 120', '200 404 409'],
  ['POST /subscriptions/{subscriptionId}/change-payer', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /coupons', 'member', 'both', '15000 60 5000 30', '200 201 409'],
  ['GET /coupons', 'viewer', 'both', '30000 120 10000 60', '200'],
  ['GET /coupons/{couponId}', 'viewer', 'both', '60000 240 20000 120', '200 404'],
  ['PATCH /coupons/{couponId}', 'member', 'both', '15000 60 5000 30', '200 404'],
  ['GET /coupons/{couponId}/redemptions', 'viewer', 'both', '30000 120 10000 60', '200 404'],
  ['POST /payments', 'member', 'both', '15000 60 5000 30', '200 201 404 409'],
  ['GET /payments', 'viewer', 'both', '30000 120 10000 60', '200'],
  ['GET /payments/{paymentId}', 'viewer', 'both', '60000 240 20000 120', '200 404'],
  ['GET /payments/{paymentId}/proof', 'viewer', 'both', '60000 240 20000 120', '200 404 409'],
  ['GET /payments/{paymentId}/invoice', 'viewer', 'both', '60000 240 20000 120', '200 404'],
  ['POST /payments/{paymentId}/cancel', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /payments/{paymentId}/refunds', 'member', 'both', '15000 60 5000 30', '200 201 404 409'],
  ['GET /payments/{paymentId}/refunds', 'viewer', 'both', '60000 240 20000 120', '200 404'],
  ['GET /payments/{paymentId}/refunds/{refundId}', 'viewer', 'both', '60000 240 20000 120', '200 404'],
  ['POST /payments/{paymentId}/refunds/{refundId}/cancel', 'member', 'both', '15000 60 5000 30', '200 404 409'],
  ['POST /payments/{paymentId}/refunds/{refundId}/sent', 'member', 'both', '15000 60 5000 30', '200 404'],
  ['GET /revenue', 'viewer', 'both', '5000 20 2000 10', '200'],
  ['GET /revenue/cohorts', 'viewer', 'both', '5000 20 2000 10', '200'],
  ['GET /settlements', 'viewer', 'both', '5000 20 2000 10', '200'],
  ['GET /account', 'viewer', 'both', '60000 240 20000 120', '200'],
  ['PATCH /account', 'admin', 'both', '15000 60 5000 30', '200'],
  ['PATCH /webhooks/endpoint', 'admin', 'both', '5000 60 2000 30', '200'],
  ['GET /webhooks/endpoint', 'viewer', 'both', '5000 60 2000 30', '200'],
  ['GET /webhooks/secret', 'admin', 'both', '5000 60 2000 30', '200'],
  ['POST /webhooks/secret/rotate', 'admin', 'both', '200 10 200 10', '200 409'],
  ['GET /events', 'viewer', 'both', '30000 120 10000 60', '200'],
  ['GET /events/{eventId}', 'viewer', 'both', '60000 240 20000 120', '200 404'],
  ['POST /events/{eventId}/redeliver', 'member', 'both', '200 10 200 10', '202 404 409'],
  ['POST /sandbox/charge', 'member', 'test', '0 0 2000 30', '200 403 404 409'],
  ['POST /sandbox/advance', 'member', 'test', '0 0 2000 30', '200 403 404 409'],
];

/** Section 2: every field of every resource, by its name in the document. */
export const RESOURCES: { readonly [component: string]: readonly string[] } = {
  Offer: words(`id name description imageUrl identifier productRef checkoutUrl pricing active availableQuantity
    redeemedCount expiresAt afterCompletion features collectFields allowedPaymentMethods metadata reference isSandbox
    createdAt updatedAt`),
  PricingOption: words('id label amount currency billing acceptedTokens trialDays maxCycles maxFailedCycles active'),
  AcceptedToken: words('tokenKey chainId amountBaseUnits'),
  Chain: words('chainId family label testnet tokens'),
  Token: words('key ticker decimals address mint'),
  Wallet: words('id merchantId tokenKey chainId receiverWallet createdAt'),
  Customer: words(`id wallets merchantReferenceId email phone name merchantId isSandbox idempotencyKey createdAt
    updatedAt`),
  CustomerWallet: words('chainFamily address'),
  Subscription: words(`id merchantId offerId offerPriceId offerName priceAmount priceCurrency customerId chainId status
    currentPeriodEnd allowanceConfirmed cyclesCompleted consecutiveFailures customVariables afterCompletion isSandbox
    idempotencyKey affiliatePartnerId affiliateCommissionPct createdAt updatedAt`),
  SubscriptionStatusView: words(`id status currentPeriodEnd allowanceConfirmed customerId cyclesCompleted
    consecutiveFailures customVariables lastInvoice`),
  Invoice: words(`id subscriptionId merchantId idempotencyKey grossAmount platformAmount merchantAmount tokenKey chainId
    pullTxHash merchantTransferTxHash platformTransferTxHash distributeTxHash status failureReason isSandbox createdAt
    updatedAt`),
  Payment: words(`id merchantId customerId source subscriptionId offerId priceId periodStart periodEnd attempts
    idempotencyKey paymentMethod fromWallet toWallet amount platformAmount merchantAmount tokenKey chainId pullTxHash
    forwardTxHash platformTransferTxHash distributeTxHash status failureReason isSandbox affiliatePartnerId
    affiliateCommissionPct createdAt updatedAt`),
};

const text = { type: 'string' };
const page = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  start: { type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 },
  /** Additive (docs/rules.md, "Limits"). */
  startingAfter: { type: 'string', minLength: 1, maxLength: 100 },
};

/** Section 4: the query of every endpoint that has one. */
/** Additive (docs/rules.md, "Limits"). */
const moment = { type: 'string', format: 'date-time', pattern: expect.any(String), description: expect.any(String) };
const created = {
  type: 'object',
  properties: { gt: moment, gte: moment, lt: moment, lte: moment },
  additionalProperties: false,
};
const totals = { type: 'boolean', default: false };
const attention = { type: 'string', enum: ['will_not_renew', 'approval_missing', 'balance_missing'] };
const metadata = { type: 'object', additionalProperties: { type: 'string' } };

export const PARAMETERS: { readonly [route: string]: { readonly [name: string]: object } } = {
  'GET /currencies': { includeTestnets: { type: 'boolean', default: false } },
  'GET /offers': { active: { type: 'boolean' }, identifier: text, metadata, created, ...page },
  'GET /customers': { walletAddress: text, email: text, merchantReferenceId: text, created, totals, ...page },
  'GET /subscriptions': {
    status: { $ref: '#/components/schemas/SubscriptionStatus' },
    customerId: text,
    offerId: text,
    attention,
    created,
    totals,
    ...page,
  },
  'GET /payments': {
    status: { $ref: '#/components/schemas/PaymentStatus' },
    source: { $ref: '#/components/schemas/PaymentSource' },
    customerId: text,
    subscriptionId: text,
    offerId: text,
    metadata,
    created,
    totals,
    ...page,
  },
};

/** Section 6: `data` of every kind with its alternatives; `?` marks optional fields. `source` is additive. */
export const EVENTS: { readonly [event: string]: readonly (readonly string[])[] } = {
  'customer.created': [words('customerId wallets')],
  'customer.updated': [words('customerId wallets')],
  'customer.deleted': [words('customerId')],
  'subscription.created': [words('subscriptionId offerId priceId status')],
  'subscription.active': [words('subscriptionId offerId priceId')],
  'subscription.canceled': [words('subscriptionId offerId priceId reason?')],
  'payment.succeeded': [words('source subscriptionId invoiceId'), words('source paymentId')],
  'payment.failed': [words('source subscriptionId invoiceId reason'), words('source paymentId reason')],
  'payment.canceled': [words('paymentId')],
  'wallet.updated': [words('tokenKey previousWallet newWallet source')],
};

/** The opt-in kinds (docs/rules.md, "Webhooks": `extraEvents`). */
export const EXTRA_EVENTS: typeof EVENTS = {
  'subscription.trialing': [words('subscriptionId offerId priceId')],
  'subscription.past_due': [words('subscriptionId offerId priceId')],
  'subscription.recovered': [words('subscriptionId offerId priceId')],
  'subscription.at_risk': [words('subscriptionId offerId priceId reason chargeAt')],
  'subscription.migrated': [words('subscriptionId offerId priceId')],
  'subscription.blocked': [words('subscriptionId offerId priceId reason')],
  'subscription.quantity_changed': [words('subscriptionId offerId priceId previousQuantity quantity')],
  'subscription.usage_threshold': [words('subscriptionId offerId priceId level')],
  'subscription.paused': [words('subscriptionId offerId priceId pausedUntil')],
  'subscription.resumed': [words('subscriptionId offerId priceId currentPeriodEnd')],
  'payment.pulled': [words('source subscriptionId invoiceId'), words('source paymentId')],
  'payment.refunded': [words('source subscriptionId invoiceId refundId'), words('source paymentId refundId')],
  'payment.refund_reversed': [words('source subscriptionId invoiceId refundId'), words('source paymentId refundId')],
};

function words(text: string): string[] {
  return text.split(/\s+/);
}
