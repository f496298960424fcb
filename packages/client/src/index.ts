/** The package `tideline/client`: the typed client of the merchant API, and the verification of its webhooks. */
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
  Subscription,
  SubscriptionStatusView,
  Wallet,
} from './types.ts';
export type { TestEvent, WebhookEvent } from './webhooks/event.ts';
export type { WebhookHeaders } from './webhooks/headers.ts';
export { type SignedWebhook, type SignOptions, signTestWebhook } from './webhooks/sign.ts';
export { WebhookVerificationError, type WebhookVerificationReason } from './webhooks/verification-error.ts';
export { type VerifyOptions, verifyWebhook } from './webhooks/verify.ts';
