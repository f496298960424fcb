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
/** The report of `sandbox.advance`. */
export type Advanced = Result<'POST /sandbox/advance'>;
