import { createHmac } from 'node:crypto';

/**
 * HMAC-SHA256 of the timestamp, a dot and the exact bytes of the body (reference, section 6: Signature). The key is the whole
 * text of the secret, with its prefix (docs/rules.md, "Webhooks").
 */
export function digestOf(secret: string, timestamp: string, rawBody: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}
