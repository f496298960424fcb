/** `@tideline/client/webhooks`: verifies deliveries, and signs some for tests, with WebCrypto. */
export type { VerifyOptions } from './webhooks/delivery.ts';
export type { TestEvent, WebhookEvent } from './webhooks/event.ts';
export type { WebhookHeaders } from './webhooks/headers.ts';
export { signTestWebhook } from './webhooks/sign.ts';
export type { SignedWebhook, SignOptions } from './webhooks/test-delivery.ts';
export { WebhookVerificationError, type WebhookVerificationReason } from './webhooks/verification-error.ts';
export { verifyWebhook } from './webhooks/verify.ts';
