import { eventOf, readDelivery, type VerifyOptions } from './delivery.ts';
import type { WebhookEvent } from './event.ts';
import type { WebhookHeaders } from './headers.ts';
import { isSigned } from './hmac.ts';

/**
 * The event of a webhook delivery, after its sender is verified.
 *
 * Accepts a delivery with a signature by `secret` over the timestamp and exactly these bytes: the current signature or,
 * during a rotation with overlap, the previous one. It reads the service's own headers or, if they are not there, those
 * of the Standard Webhooks specification. The timestamp must be within the tolerance. A delivery may come twice: use
 * the event's `id` to recognise one that you have processed.
 *
 * @param rawBody the body before anything parses it: `await request.text()`; in Express, `express.raw({ type:
 * 'application/json' })`
 * @param headers of the request, from fetch, Node or Express
 * @param secret the whole secret of the mode, `whsec_…`, which `webhooks.rotateSecret({ scope: 'mode' })` makes
 * @returns a promise; it rejects with a WebhookVerificationError and nothing else, for any input
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions,
): Promise<WebhookEvent> {
  const delivery = readDelivery(rawBody, headers, secret);
  const { signing, signatures } = delivery;
  return eventOf(delivery, signing !== null && (await isSigned(signing, signatures)), options);
}
