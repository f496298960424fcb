import { createHmac, randomBytes } from 'node:crypto';

/** The headers of a delivery (reference, section 6: Signature; the third: docs/rules.md, "Webhooks"). */
export const SIGNATURE_HEADERS = {
  timestamp: 'X-Service-Timestamp',
  signature: 'X-Service-Signature',
  /** Made with the previous secret, while the overlap of a rotation lasts. */
  previous: 'X-Service-Signature-Previous',
} as const;

const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and base64 of 32 random bytes. The HMAC key is this whole text, prefix included. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** HMAC-SHA256, hex, over the timestamp (Unix seconds), a dot and the exact bytes of the body (reference, section 6). */
export function signBody(secret: string, timestampSeconds: number, rawBody: Uint8Array | string): string {
  return createHmac('sha256', secret).update(`${timestampSeconds}.`).update(rawBody).digest('hex');
}
