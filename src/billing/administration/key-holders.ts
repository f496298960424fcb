import type { MerchantDoc } from '../../store/collections.ts';
import type { Mode } from '../../store/documents.ts';
import type { RecordStore } from '../../store/port.ts';

export interface KeyHolder {
  readonly merchant: MerchantDoc;
  readonly mode: Mode;
}

/**
 * The holders of keys by hash, as stored at this moment; null for an unknown or revoked key, and for a suspended
 * merchant. One read for all.
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
