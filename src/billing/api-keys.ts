import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeyDoc, MerchantDoc } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import type { RecordStore } from '../store/port.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_BYTES = 32;
/** 32 bytes in base62, always this long. */
const KEY_DIGITS = 43;

const PREFIXES: { readonly [M in Mode]: string } = { test: 'tl_test_', live: 'tl_live_' };

/** A fresh key: the environment's prefix and 32 random bytes in base62 (decisions, "Names"). */
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
 * How a secret rests: SHA-256, hex. A database that leaks gives no key away, and equal time for every key comes with
 * it.
 */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The stored form of a key. */
export function apiKeyDoc(key: string, merchantId: string, mode: Mode, now: Date): ApiKeyDoc {
  return { _id: secretHash(key), merchantId, mode, hint: key.slice(-4), createdAt: now, revokedAt: null };
}

export interface KeyHolder {
  readonly merchant: MerchantDoc;
  readonly mode: Mode;
}

/** Whose key it is, as stored at this moment; null for an unknown or revoked key, and for a suspended merchant. */
export async function findKeyHolder(records: RecordStore, keyHash: string): Promise<KeyHolder | null> {
  const [key] = await records.get('apiKeys', [keyHash]);
  if (key === undefined || key.revokedAt !== null) return null;
  const [merchant] = await records.get('merchants', [key.merchantId]);
  if (merchant === undefined || merchant.status !== 'active') return null;
  return { merchant, mode: key.mode };
}
