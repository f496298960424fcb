/**
 * `@tideline/client/node`: all of `@tideline/client`, and webhooks verified and signed without a promise, by Node's own
 * crypto.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { eventOf, readDelivery, type VerifyOptions } from './webhooks/delivery.ts';
import type { TestEvent, WebhookEvent } from './webhooks/event.ts';
import type { WebhookHeaders } from './webhooks/headers.ts';
import type { Signing } from './webhooks/signing.ts';
import { type SignedWebhook, type SignOptions, testDelivery } from './webhooks/test-delivery.ts';

export * from './index.ts';
export { WebhookVerificationError, type WebhookVerificationReason } from './webhooks/verification-error.ts';
export type { SignedWebhook, SignOptions, TestEvent, VerifyOptions, WebhookEvent, WebhookHeaders };

/**
 * Like `verifyWebhook` of `@tideline/client/webhooks`, but returns the event itself.
 *
 * @throws WebhookVerificationError and nothing else, for any input
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions,
): WebhookEvent {
  const delivery = readDelivery(rawBody, headers, secret);
  const expected = delivery.signing && digestOf(delivery.signing);
  // Compares each in constant time.
  const matching = delivery.signatures.filter((signature) => expected && timingSafeEqual(signature, expected));
  return eventOf(delivery, matching.length > 0, options);
}

/** Like `signTestWebhook` of `@tideline/client/webhooks`, but returns the delivery itself. */
export function signTestWebhook(event: TestEvent, secret: string, options?: SignOptions): SignedWebhook<string>;
export function signTestWebhook<Body extends string | Uint8Array>(
  rawBody: Body,
  secret: string,
  options?: SignOptions,
): SignedWebhook<Body>;
export function signTestWebhook(
  given: TestEvent | string | Uint8Array,
  secret: string,
  options: SignOptions = {},
): SignedWebhook<string | Uint8Array> {
  const { signings, signed } = testDelivery(given, secret, options);
  return signed(signings.map(digestOf));
}

function digestOf({ key, content }: Signing): Uint8Array {
  return createHmac('sha256', key).update(content).digest();
}
