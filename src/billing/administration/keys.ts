import { conflict, type Fault, internalFault, notFound } from '../../errors/fault.ts';
import { apiKeyDoc, newApiKey } from '../../model/secrets.ts';
import type { ApiKeyDoc } from '../../store/collections.ts';
import type { Mode } from '../../store/documents.ts';
import type { RecordStore, Store } from '../../store/port.ts';
import { requireMerchant } from './account.ts';
import { keepEntries, OWN_DOCUMENTS_MAX, type StaffOrder, staffEntry } from './staff-journal.ts';

export interface KeysDeps {
  readonly store: Pick<Store, 'records'>;
  readonly clock: () => Date;
}

/** A new key. It cannot be shown again, because only its hash is stored. */
export interface IssuedKey {
  readonly key: string;
  readonly doc: ApiKeyDoc;
}

/** The most active keys of one environment. */
const KEYS_MAX = 50;
const ID_DIGITS = 16;

/**
 * The id of a key for staff: the first 16 hex digits of its hash. It has no part of the key itself. It is not the whole
 * hash, so that no URL or log has the value by which the database finds a key.
 */
export function keyIdOf({ _id }: Pick<ApiKeyDoc, '_id'>): string {
  return _id.slice(0, ID_DIGITS);
}

/**
 * The keys of both environments, newest first: all active ones, and at most 1,000 revoked ones, whose number grows with
 * every rotation.
 */
export async function keysOf(records: RecordStore, merchantId: string): Promise<ApiKeyDoc[]> {
  const states = [null, { not: null }] as const;
  const found = await Promise.all(
    states.map((revokedAt) => records.find('apiKeys', { where: { merchantId, revokedAt }, limit: OWN_DOCUMENTS_MAX })),
  );
  return found.flat().sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
}

/** Throws 404, and 409 if the environment has 50 active keys. */
export async function issueKey(
  { store: { records }, clock }: KeysDeps,
  merchantId: string,
  mode: Mode,
  order: StaffOrder,
): Promise<IssuedKey> {
  await requireMerchant(records, merchantId);
  const inForce = await records.count('apiKeys', { merchantId, mode, revokedAt: null });
  if (inForce >= KEYS_MAX) throw conflict(`Merchant has ${inForce} ${mode} keys; revoke one first`);
  const now = clock();
  const key = newApiKey(mode);
  const plain = apiKeyDoc(key, merchantId, mode, now);
  const done = { action: 'key.issued', details: detailsOf(plain) } as const;
  const doc = { ...plain, staffEntry: staffEntry(order, merchantId, now, done) };
  const [verdict] = await records.insert('apiKeys', [doc]);
  if (!verdict?.inserted) throw internalFault('a new API key has the hash of a stored one; no key was issued');
  await keepEntries(records, [doc.staffEntry]);
  return { key, doc };
}

/** Revokes a key: requests with it get 401 from now on. Throws 404, and 409 if it is revoked already. */
export async function revokeKey(
  { store: { records }, clock }: KeysDeps,
  merchantId: string,
  keyId: string,
  order: StaffOrder,
): Promise<ApiKeyDoc> {
  const key = (await keysOf(records, merchantId)).find((each) => keyIdOf(each) === keyId);
  if (key === undefined) throw notFound();
  if (key.revokedAt !== null) throw revokedBefore();
  await keepEntries(records, [key.staffEntry]);
  const now = clock();
  const entry = staffEntry(order, merchantId, now, { action: 'key.revoked', details: detailsOf(key) });
  const stored = await records.change(
    'apiKeys',
    key._id,
    { revokedAt: null },
    { set: { revokedAt: now, staffEntry: entry }, push: { recentOps: [entry._id] } },
  );
  if (stored === null) throw revokedBefore();
  await keepEntries(records, [entry]);
  return stored;
}

function revokedBefore(): Fault {
  return conflict('Key is revoked; revoke needs one in force');
}

function detailsOf(key: ApiKeyDoc) {
  return { keyId: keyIdOf(key), mode: key.mode, hint: key.hint };
}
