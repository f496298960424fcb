import { createHmac } from 'node:crypto';

/**
 * HMAC-SHA256 of the timestamp, a dot and the exact bytes of the body (reference, section 6: Signature). The key is the whole
 * text of the secret, with its prefix (docs/rules.md, "Webhooks").
 */
export function digestOf(secret: string, timestamp: string, rawBody: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}

/**
 * HMAC-SHA256 of the message's id, the timestamp and the exact bytes of the body, with dots between them, as Standard Webhooks
 * has it. The key is the base64 part of the secret, decoded.
 */
export function standardDigestOf(secret: string, id: string, timestamp: string, rawBody: string | Uint8Array): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest();
}
