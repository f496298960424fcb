import type { Result } from './operations.ts';

/** The API's answers by name; each is the generated type of the operation that reads it. */
export type Chain = Result<'GET /currencies'>['chains'][number];
export type Offer = Result<'GET /offers/{offerId}'>;
export type PricingOption = Offer['pricing'][number];
export type Wallet = Result<'GET /wallets'>['wallets'][number];
export type Customer = Result<'GET /customers/{customerId}'>;
export type Subscription = Result<'GET /subscriptions'>['subscriptions'][number];
/** The status view (reference, section 2): the answer of a read by id, with the last invoice. */
export type SubscriptionStatusView = Result<'GET /subscriptions/{subscriptionId}'>;
export type Payment = Result<'GET /payments/{paymentId}'>;
/** A refund of a payment: by the merchant, or of what a deposit left. */
export type Refund = Result<'GET /payments/{paymentId}/refunds'>['refunds'][number];
/** A refund with the unsigned transactions for the wallet of the merchant. */
export type SendableRefund = Result<'GET /payments/{paymentId}/refunds/{refundId}'>;
/** The report of `sandbox.advance`. */
export type Advanced = Result<'POST /sandbox/advance'>;
