import { timingSafeEqual } from 'node:crypto';
import { types } from 'node:util';
import { digestOf, standardDigestOf } from './digest.ts';
import { parseEvent, type WebhookEvent } from './event.ts';
import { readSignedHeaders, type SignedHeaders, type WebhookHeaders } from './headers.ts';
import { WebhookVerificationError } from './verification-error.ts';

export interface VerifyOptions {
  /** The largest difference between the delivery's timestamp and now, in either direction; default: 300. */
  readonly toleranceSeconds?: number;
  /** The present time, for tests; default: the clock. */
  readonly now?: Date;
}

const TOLERANCE_SECONDS = 300;

/** An event contains ids: a few hundred bytes. */
const BODY_MAX = 1_048_576;

/**
 * The event of a webhook delivery, after its sender is verified.
 *
 * Accepts a delivery with a signature by `secret` over the timestamp and exactly these bytes: the current signature or,
 * during a rotation with overlap, the previous one. Without the service's own headers, those of Standard Webhooks count. The timestamp must be within the tolerance. A delivery may come twice:
 * use the event's `id` to recognise one that you have processed.
 *
 * @param rawBody the body before anything parses it: in Express, `express.raw({ type: 'application/json' })`
 * @param headers of the request, from fetch, Node or Express
 * @param secret the whole signing secret, `whsec_…`
 * @throws WebhookVerificationError and nothing else, for any input
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions = {},
): WebhookEvent {
  requireSecret(secret);
  requireRaw(rawBody);
  const signed = readSignedHeaders(headers);
  requireSignature(rawBody, signed, secret);
  requireRecent(signed, options);
  return parseEvent(rawBody);
}

function requireSecret(secret: string): void {
  if (typeof secret === 'string' && secret !== '') return;
  throw new WebhookVerificationError('secret_missing', 'There is no secret to verify with: expected whsec_…');
}

function requireRaw(rawBody: string | Uint8Array): void {
  if (typeof rawBody !== 'string' && !types.isUint8Array(rawBody)) {
    const message = `rawBody is of type ${typeof rawBody}: expected the text or bytes that came, before they are parsed`;
    throw new WebhookVerificationError('body_not_raw', message);
  }
  if (rawBody.length > BODY_MAX) {
    const message = `rawBody has a length of ${rawBody.length}: expected an event, at most ${BODY_MAX} bytes`;
    throw new WebhookVerificationError('body_too_large', message);
  }
}

/** Compares with every received signature, each in constant time. */
function requireSignature(
  rawBody: string | Uint8Array,
  { timestamp, signatures, messageId }: SignedHeaders,
  secret: string,
): void {
  const expected =
    messageId === null ? digestOf(secret, timestamp, rawBody) : standardDigestOf(secret, messageId, timestamp, rawBody);
  const matching = signatures.filter((signature) => timingSafeEqual(signature, expected));
  if (matching.length > 0) return;
  const message = 'No signature was made with this secret over this body and timestamp';
  throw new WebhookVerificationError('signature_mismatch', message);
}

function requireRecent(
  { timestamp }: SignedHeaders,
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions,
): void {
  const awayMs = Math.abs(now.getTime() - Number(timestamp) * 1_000);
  if (awayMs <= toleranceSeconds * 1_000) return;
  const message = `The delivery was signed ${awayMs / 1_000} s away from now: expected at most ${toleranceSeconds} s`;
  throw new WebhookVerificationError('timestamp_outside_tolerance', message);
}
