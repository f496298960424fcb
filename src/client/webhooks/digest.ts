import { createHmac } from 'node:crypto';

/**
 * HMAC-SHA256 over the timestamp, a dot and the exact bytes of the body (reference, section 6: Signature). The key is the
 * secret's text as it stands, prefix included (docs/rules.md, "Webhooks").
 */
export function digestOf(secret: string, timestamp: string, rawBody: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}
