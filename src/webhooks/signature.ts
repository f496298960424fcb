import { createHmac, randomBytes } from 'node:crypto';

/** The headers of a delivery (reference, section 6: Signature; the last three: docs/rules.md, "Webhooks"). */
export const SIGNATURE_HEADERS = {
  timestamp: 'X-Service-Timestamp',
  signature: 'X-Service-Signature',
  /** Made with the previous secret, while the overlap of a rotation lasts. */
  previous: 'X-Service-Signature-Previous',
  /** Made with the secret of the event's mode, if there is one. */
  mode: 'X-Service-Signature-Mode',
  modePrevious: 'X-Service-Signature-Mode-Previous',
} as const;

/** The headers of Standard Webhooks, for verifiers of many languages (docs/rules.md, "Webhooks"). */
export const STANDARD_HEADERS = {
  /** Of the event. */
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  /** A signature for each of the headers above, with spaces in between. */
  signature: 'webhook-signature',
} as const;

/** Every signing secret begins with it. */
export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** `whsec_` and base64 of 32 random bytes. The HMAC key is the whole text; of Standard Webhooks the 32 bytes. */
export function newSigningSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** HMAC-SHA256, hex, over the timestamp (Unix seconds), a dot and the body's exact bytes (reference, section 6). */
export function signBody(secret: string, timestampSeconds: number, rawBody: Uint8Array | string): string {
  return createHmac('sha256', secret).update(`${timestampSeconds}.`).update(rawBody).digest('hex');
}

/** The signature of Standard Webhooks: `v1,` and base64 of HMAC-SHA256 over event id, timestamp and body. */
export function signStandard(secret: string, id: string, timestampSeconds: number, rawBody: Uint8Array): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(rawBody).digest('base64')}`;
}
