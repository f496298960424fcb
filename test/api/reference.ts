/** The lists of the reference, which the document must match. */

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
const metadata = { type: 'object', additionalProperties: { type: 'string' } };

export const PARAMETERS: { readonly [route: string]: { readonly [name: string]: object } } = {
  'GET /currencies': { includeTestnets: { type: 'boolean', default: false } },
  'GET /offers': { active: { type: 'boolean' }, identifier: text, metadata, created, ...page },
  'GET /customers': { walletAddress: text, email: text, merchantReferenceId: text, created, ...page },
  'GET /subscriptions': {
    status: { $ref: '#/components/schemas/SubscriptionStatus' },
    customerId: text,
    offerId: text,
    created,
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
    ...page,
  },
};

/** Section 6: `data` of every kind with its alternatives; `?` marks optional fields. */
export const EVENTS: { readonly [event: string]: readonly (readonly string[])[] } = {
  'customer.created': [words('customerId wallets')],
  'customer.updated': [words('customerId wallets')],
  'customer.deleted': [words('customerId')],
  'subscription.created': [words('subscriptionId offerId priceId status')],
  'subscription.active': [words('subscriptionId offerId priceId')],
  'subscription.canceled': [words('subscriptionId offerId priceId reason?')],
  'payment.succeeded': [words('subscriptionId invoiceId'), words('paymentId')],
  'payment.failed': [words('subscriptionId invoiceId reason'), words('paymentId reason')],
  'payment.canceled': [words('paymentId')],
  'wallet.updated': [words('tokenKey previousWallet newWallet source')],
};

/** The opt-in kinds (docs/rules.md, "Webhooks": `extraEvents`). */
export const EXTRA_EVENTS: typeof EVENTS = {
  'subscription.past_due': [words('subscriptionId offerId priceId')],
  'subscription.recovered': [words('subscriptionId offerId priceId')],
  'subscription.at_risk': [words('subscriptionId offerId priceId reason chargeAt')],
  'subscription.migrated': [words('subscriptionId offerId priceId')],
  'subscription.blocked': [words('subscriptionId offerId priceId reason')],
  'payment.pulled': [words('subscriptionId invoiceId'), words('paymentId')],
};

function words(text: string): string[] {
  return text.split(/\s+/);
}
