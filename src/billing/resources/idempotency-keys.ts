import type { Collections } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';

type KeyDoc = Collections['idempotencyKeys'];

/** The id of a subscription's key. Merchants do not share them. */
export function subscriptionKeyId({ merchantId, mode }: Tenant, key: string): string {
  return `subscription:${merchantId}:${mode}:${key}`;
}

/**
 * Stores a key before its actor is created, and returns the stored one. It names the actor, so a process that finds a
 * key without an actor (its creator died) creates exactly that one. A refused request stores no key.
 */
export async function claimKey({ records }: Store, key: KeyDoc): Promise<KeyDoc> {
  const [verdict] = await records.insert('idempotencyKeys', [key]);
  if (verdict?.inserted) return key;
  return (await storedKey(records, key._id)) ?? key;
}

/** null: nobody has used the key. */
export async function storedKey(records: Store['records'], id: string): Promise<KeyDoc | null> {
  const [known] = await records.get('idempotencyKeys', [id]);
  return known ?? null;
}
