import { parseEvent, type WebhookEvent } from './event.ts';
import { readSignedHeaders, type WebhookHeaders } from './headers.ts';
import { type Signing, serviceSigning, standardSigning } from './signing.ts';
import { WebhookVerificationError } from './verification-error.ts';

export interface VerifyOptions {
  /** The mode of this endpoint and of its secret. An event of the other mode is refused. */
  readonly mode: 'test' | 'live';
  /** The largest difference between the delivery's timestamp and now, in either direction; default: 300. */
  readonly toleranceSeconds?: number;
  /** The present time, for tests; default: the clock. */
  readonly now?: Date;
}

const TOLERANCE_SECONDS = 300;

/** An event contains ids: a few hundred bytes. */
const BODY_MAX = 1_048_576;

/** A delivery whose parts are well-formed. Its signatures are not checked yet. */
export interface Delivery {
  readonly rawBody: string | Uint8Array;
  /** Unix seconds. */
  readonly timestamp: string;
  /** 32 bytes each. One of them has to be of `signing`. */
  readonly signatures: readonly Uint8Array[];
  /** null: no signature of this form can be made with the secret. */
  readonly signing: Signing | null;
}

/** @throws WebhookVerificationError for a part that is missing or malformed */
export function readDelivery(rawBody: string | Uint8Array, headers: WebhookHeaders, secret: string): Delivery {
  requireSecret(secret);
  requireRaw(rawBody);
  const { standardId: id, timestamp, signatures } = readSignedHeaders(headers);
  const signing =
    id === null ? serviceSigning(secret, timestamp, rawBody) : standardSigning(secret, { id, timestamp, rawBody });
  return { rawBody, timestamp, signatures, signing };
}

/**
 * The event of a delivery.
 *
 * @param isSigned whether one of its signatures is right
 * @throws WebhookVerificationError if none is, or the delivery is too old, or the body is no event of the mode
 */
export function eventOf(delivery: Delivery, isSigned: boolean, options: Partial<VerifyOptions> = {}): WebhookEvent {
  if (!isSigned) {
    const message = 'No signature was made with this secret over this body and timestamp';
    throw new WebhookVerificationError('signature_mismatch', message);
  }
  requireRecent(delivery, options);
  const event = parseEvent(delivery.rawBody);
  const mode = event.isSandbox ? 'test' : 'live';
  if (mode === options.mode) return event;
  const message = `The event is of ${mode} mode: expected one of options.mode, which is ${options.mode}`;
  throw new WebhookVerificationError('mode_mismatch', message);
}

function requireSecret(secret: string): void {
  if (typeof secret === 'string' && secret.trim() !== '') return;
  throw new WebhookVerificationError('secret_missing', 'There is no secret to verify with: expected whsec_…');
}

function requireRaw(rawBody: string | Uint8Array): void {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    const message = `rawBody is of type ${typeof rawBody}: expected the text or bytes that came, before they are parsed`;
    throw new WebhookVerificationError('body_not_raw', message);
  }
  if (rawBody.length > BODY_MAX) {
    const message = `rawBody has a length of ${rawBody.length}: expected an event, at most ${BODY_MAX} bytes`;
    throw new WebhookVerificationError('body_too_large', message);
  }
}

function requireRecent(
  { timestamp }: Delivery,
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: Partial<VerifyOptions>,
): void {
  const awayMs = Math.abs(now.getTime() - Number(timestamp) * 1_000);
  if (awayMs <= toleranceSeconds * 1_000) return;
  const message = `The delivery was signed ${awayMs / 1_000} s away from now: expected at most ${toleranceSeconds} s`;
  throw new WebhookVerificationError('timestamp_outside_tolerance', message);
}
