import { conflict, Fault, notFound } from '../../errors/fault.ts';
import type { ApiKeyDoc } from '../../store/collections.ts';
import type { Mode } from '../../store/documents.ts';
import type { RecordStore } from '../../store/port.ts';
import { apiKeyDoc, newApiKey } from '../api-keys.ts';
import { requireMerchant } from './account.ts';
import { keepEntries, OWN_DOCUMENTS_MAX, type StaffOrder, staffEntry } from './staff-journal.ts';

export interface KeysDeps {
  readonly records: RecordStore;
  readonly clock: () => Date;
}

/** A key that has just been made: shown this once, for only its hash is stored. */
export interface IssuedKey {
  readonly key: string;
  readonly doc: ApiKeyDoc;
}

/** How many keys of one environment may be in force at once. */
const KEYS_MAX = 50;
const ID_DIGITS = 16;

/**
 * How staff name a key: the first 16 hex digits of its hash. Never anything of the key itself; and not the whole hash, so
 * that neither a URL nor a log holds what the database finds a key by.
 */
export function keyIdOf({ _id }: Pick<ApiKeyDoc, '_id'>): string {
  return _id.slice(0, ID_DIGITS);
}

/**
 * The keys of both environments, newest first: all that are in force, and of the revoked ones, which grow with every rotation,
 * as many as are shown.
 */
export async function keysOf(records: RecordStore, merchantId: string): Promise<ApiKeyDoc[]> {
  const states = [null, { not: null }] as const;
  const found = await Promise.all(
    states.map((revokedAt) => records.find('apiKeys', { where: { merchantId, revokedAt }, limit: OWN_DOCUMENTS_MAX })),
  );
  return found.flat().sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
}

/** Throws 404, and 409 when there are 50 keys of that environment in force. */
export async function issueKey(
  { records, clock }: KeysDeps,
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
  if (!verdict?.inserted)
    throw new Fault('internal', 'Internal error', { internal: 'a new API key was there already' });
  await keepEntries(records, [doc.staffEntry]);
  return { key, doc };
}

/** From now on it is answered 401. Throws 404, and 409 for one that is revoked. */
export async function revokeKey(
  { records, clock }: KeysDeps,
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
