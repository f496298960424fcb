import type { Result } from './operations.ts';

/** What the API answers with, by name: each is the generated type of the operation that reads it. */
export type Chain = Result<'GET /currencies'>['chains'][number];
export type Offer = Result<'GET /offers/{offerId}'>;
export type PricingOption = Offer['pricing'][number];
export type Wallet = Result<'GET /wallets'>['wallets'][number];
export type Customer = Result<'GET /customers/{customerId}'>;
export type Subscription = Result<'GET /subscriptions'>['subscriptions'][number];
/** The status view (reference, section 2): what a read by id gives, with the last invoice. */
export type SubscriptionStatusView = Result<'GET /subscriptions/{subscriptionId}'>;
export type Payment = Result<'GET /payments/{paymentId}'>;
/** What `sandbox.advance` reports the time that it let pass. */
export type Advanced = Result<'POST /sandbox/advance'>;
