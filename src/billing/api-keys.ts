import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeyDoc, MerchantDoc } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import type { RecordStore } from '../store/port.ts';

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
 * The stored form of a secret: SHA-256, hex. A leaked database reveals no key, and a lookup takes the same time for every
 * key.
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

/**
 * The holders of keys by hash, as stored at this moment; null for an unknown or revoked key, and for a suspended merchant.
 * One read for all.
 */
export async function findKeyHolders(
  records: Pick<RecordStore, 'getWith'>,
  keyHashes: readonly string[],
): Promise<(KeyHolder | null)[]> {
  const found = await records.getWith('apiKeys', [...new Set(keyHashes)], 'merchantId', 'merchants');
  const holders = new Map<string, KeyHolder>();
  for (const { doc: key, named: merchant } of found) {
    if (key.revokedAt !== null || merchant?.status !== 'active') continue;
    holders.set(key._id, { merchant, mode: key.mode });
  }
  return keyHashes.map((hash) => holders.get(hash) ?? null);
}
