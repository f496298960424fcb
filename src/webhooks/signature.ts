import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Names of the headers that every delivery carries (reference, section 6: Signature; the third: decisions, "Webhooks"). */
export const SIGNATURE_HEADERS = {
  timestamp: 'X-Service-Timestamp',
  signature: 'X-Service-Signature',
  /** Made with the secret before the last rotation, while its overlap lasts. */
  previous: 'X-Service-Signature-Previous',
} as const;

const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and base64 of 32 random bytes. The HMAC key is this text as it stands, prefix included. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** HMAC-SHA256, hex, over the timestamp (Unix seconds), a dot and the exact bytes of the body (reference, section 6). */
export function signBody(secret: string, timestampSeconds: number, rawBody: Uint8Array | string): string {
  return digestOf(secret, String(timestampSeconds), rawBody).toString('hex');
}

/** One delivery as its receiver sees it. */
export interface SignedDelivery {
  readonly secret: string;
  /** The header `X-Service-Timestamp` as received. */
  readonly timestamp: string;
  /** The header `X-Service-Signature` as received. */
  readonly signature: string;
  /** The body as received, before it is parsed. */
  readonly rawBody: Uint8Array | string;
  /** With it, a timestamp further than `seconds` from `now` is refused: an old delivery that somebody replays. */
  readonly tolerance?: { readonly now: Date; readonly seconds: number };
}

/** Whether the delivery was signed with the secret. Compares in constant time; anything malformed is simply not signed. */
export function verifySignature({ secret, timestamp, signature, rawBody, tolerance }: SignedDelivery): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  if (tolerance && Math.abs(tolerance.now.getTime() / 1_000 - Number(timestamp)) > tolerance.seconds) return false;
  return timingSafeEqual(digestOf(secret, timestamp, rawBody), Buffer.from(signature, 'hex'));
}

function digestOf(secret: string, timestamp: string, rawBody: Uint8Array | string): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}
