import type { TestEvent } from './event.ts';
import { digestOf } from './hmac.ts';
import { type SignedWebhook, type SignOptions, testDelivery } from './test-delivery.ts';

/**
 * A delivery as the service would make it, for tests of an endpoint. If the secret has the form of the service's
 * secrets, `whsec_` and base64, the headers of the Standard Webhooks specification are there too; `webhook-id` is the
 * id in the body.
 *
 * @param event `event` and `data`; missing fields of the envelope are filled in as for a first event of the sandbox. Or
 * a body, which is signed unchanged.
 * @param secret the one with which the endpoint verifies
 */
export async function signTestWebhook(
  event: TestEvent,
  secret: string,
  options?: SignOptions,
): Promise<SignedWebhook<string>>;
export async function signTestWebhook<Body extends string | Uint8Array>(
  rawBody: Body,
  secret: string,
  options?: SignOptions,
): Promise<SignedWebhook<Body>>;
export async function signTestWebhook(
  given: TestEvent | string | Uint8Array,
  secret: string,
  options: SignOptions = {},
): Promise<SignedWebhook<string | Uint8Array>> {
  const { signings, signed } = testDelivery(given, secret, options);
  return signed(await Promise.all(signings.map(digestOf)));
}
