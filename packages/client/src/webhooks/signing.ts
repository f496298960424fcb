import { bytesOf, bytesOfBase64, joined } from './bytes.ts';

/** One HMAC-SHA256: its key, and the bytes that it is over. */
export interface Signing {
  readonly key: Uint8Array;
  readonly content: Uint8Array;
}

/**
 * The service's own form (reference, section 6: Signature): a timestamp, a dot and the body. The key is the whole text
 * of the secret, with its prefix (docs/rules.md, "Webhooks"). White space at its ends is ignored: a file or a variable
 * easily adds a newline.
 */
export function serviceSigning(secret: string, timestamp: string, rawBody: string | Uint8Array): Signing {
  return { key: bytesOf(secret.trim()), content: joined(`${timestamp}.`, rawBody) };
}

/** What a signature of Standard Webhooks is over. */
export interface StandardContent {
  readonly id: string;
  readonly timestamp: string;
  readonly rawBody: string | Uint8Array;
}

const PREFIX = 'whsec_';

/**
 * The form of the Standard Webhooks specification: id, dot, timestamp, dot and the body. The key is the bytes that the
 * secret has in base64 after its prefix. null: the secret is not of this form.
 */
export function standardSigning(secret: string, { id, timestamp, rawBody }: StandardContent): Signing | null {
  const text = secret.trim();
  const key = text.startsWith(PREFIX) ? bytesOfBase64(text.slice(PREFIX.length)) : null;
  if (key === null || key.length === 0) return null;
  return { key, content: joined(`${id}.${timestamp}.`, rawBody) };
}
