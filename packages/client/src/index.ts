/** `@tideline/client`: the typed client of the merchant API. */
export type { Answer, Answered } from './answer.ts';
export type { CallOptions } from './call.ts';
export { createClient, type Tideline, type TidelineOptions } from './create-client.ts';
export type { components, operations, paths, webhooks } from './schema.ts';
export { TidelineError } from './tideline-error.ts';
export type {
  Advanced,
  Chain,
  Customer,
  Offer,
  Payment,
  PricingOption,
  Refund,
  SendableRefund,
  Subscription,
  SubscriptionStatusView,
  Wallet,
} from './types.ts';
