import type { ApiKeyDoc, MerchantDoc } from '../../store/collections.ts';
import type { Mode } from '../../store/documents.ts';
import type { RecordStore } from '../../store/port.ts';

export interface KeyHolder {
  readonly merchant: MerchantDoc;
  readonly mode: Mode;
  readonly key: Pick<ApiKeyDoc, '_id' | 'lastUsedAt'>;
}

const DAY_MS = 86_400_000;

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
    holders.set(key._id, { merchant, mode: key.mode, key });
  }
  return keyHashes.map((hash) => holders.get(hash) ?? null);
}

/** Notes which keys are used, once a day (UTC) each: their owner sees which ones nobody uses. */
export async function noteKeyUse(
  records: Pick<RecordStore, 'changeAlike'>,
  holders: readonly (KeyHolder | null)[],
  now: Date,
): Promise<void> {
  const today = now.getTime() - (now.getTime() % DAY_MS);
  const used = holders.flatMap((holder) => (holder === null ? [] : [holder.key]));
  const unnoted = used.filter(({ lastUsedAt }) => (lastUsedAt?.getTime() ?? 0) < today).map(({ _id }) => _id);
  if (unnoted.length > 0) await records.changeAlike('apiKeys', unnoted, {}, { set: { lastUsedAt: now } });
}
