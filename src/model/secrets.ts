import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeyDoc } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_BYTES = 32;
/** The length of 32 bytes in base62, padded. */
const KEY_DIGITS = 43;

const PREFIXES: { readonly [M in Mode]: string } = { test: 'tl_test_', live: 'tl_live_' };

/** A new key: the environment's prefix and 32 random bytes in base62 (docs/rules.md, "Names, roots, shapes"). */
export function newApiKey(mode: Mode): string {
  let value = BigInt(`0x${randomBytes(KEY_BYTES).toString('hex')}`);
  let text = '';
  for (let index = 0; index < KEY_DIGITS; index += 1) {
    text = (DIGITS[Number(value % 62n)] ?? '') + text;
    value /= 62n;
  }
  return PREFIXES[mode] + text;
}

/**
 * The stored form of a secret: SHA-256, hex. A leaked database reveals no key, and a lookup takes the same time for
 * every key.
 */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The stored form of a key. */
export function apiKeyDoc(key: string, merchantId: string, mode: Mode, now: Date): ApiKeyDoc {
  return { _id: secretHash(key), merchantId, mode, hint: key.slice(-4), createdAt: now, revokedAt: null };
}

/** The secret keeps the session open until `expiresAt`. It cannot be shown again, because only its hash is stored. */
export interface OpenedSession {
  readonly secret: string;
  readonly expiresAt: Date;
}

/** Makes a session: the secret for its holder, and the document to store. */
export function newSession(createdAt: Date, lastsMs: number) {
  const secret = randomBytes(32).toString('base64url');
  const expiresAt = new Date(createdAt.getTime() + lastsMs);
  const opened: OpenedSession = { secret, expiresAt };
  return { opened, stored: { _id: secretHash(secret), createdAt, expiresAt } };
}
