import { timingSafeEqual } from 'node:crypto';
import { types } from 'node:util';
import { digestOf } from './digest.ts';
import { parseEvent, type WebhookEvent } from './event.ts';
import { readSignedHeaders, type SignedHeaders, type WebhookHeaders } from './headers.ts';
import { WebhookVerificationError } from './verification-error.ts';

export interface VerifyOptions {
  /** How far the delivery's timestamp may be from now, either way: 300 unless it is said. */
  readonly toleranceSeconds?: number;
  /** What time it is, for tests: the clock's unless it is given. */
  readonly now?: Date;
}

const TOLERANCE_SECONDS = 300;

/** An event carries ids: a few hundred bytes. */
const BODY_MAX = 1_048_576;

/**
 * The event of a webhook delivery, once it is certain who sent it.
 *
 * It is accepted if a signature was made with `secret` over the timestamp and exactly these bytes, the current signature
 * or, while a rotation with overlap lasts, the previous one; and if the timestamp is within the tolerance. Deliveries may
 * come twice: use the event's `id` to recognise one that you have dealt with.
 *
 * @param rawBody the body as it came, before anything has parsed it: in Express, `express.raw({ type: 'application/json' })`
 * @param headers of the request, as fetch, Node or Express give them
 * @param secret the signing secret, `whsec_…`, whole
 * @throws WebhookVerificationError and nothing else, whatever came
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

/** Compares with every signature that came, each in constant time. */
function requireSignature(
  rawBody: string | Uint8Array,
  { timestamp, signatures }: SignedHeaders,
  secret: string,
): void {
  const expected = digestOf(secret, timestamp, rawBody);
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
