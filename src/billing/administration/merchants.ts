import { conflict, type Fault, internalFault, notFound } from '../../errors/fault.ts';
import { requireFeeBps } from '../../model/fees.ts';
import { type ListPage, NEWEST_FIRST, type Page, readPage } from '../../model/lists.ts';
import { compact } from '../../model/pick.ts';
import { apiKeyDoc, newApiKey } from '../../model/secrets.ts';
import type { ApiKeyDoc, MerchantDoc } from '../../store/collections.ts';
import type { Mode } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import type { RecordStore, Store } from '../../store/port.ts';
import type { RecordsDeps } from '../deps.ts';
import type { TokenWallet } from '../payout/wallet-changes.ts';
import { nameKeys } from '../resources/search-keys.ts';
import { requireMerchant } from './account.ts';
import { keepEntries, OWN_DOCUMENTS_MAX, type StaffOrder, staffEntry, walletsOf } from './staff-journal.ts';

interface MerchantFilter extends Page {
  readonly status?: MerchantDoc['status'] | undefined;
}

/** A merchant with its keys and wallets, newest first, including revoked keys and removed wallets. */
export interface Account {
  readonly merchant: MerchantDoc;
  readonly keys: readonly ApiKeyDoc[];
  /** The wallets of both environments, without those that the merchant has deleted. */
  readonly wallets: readonly TokenWallet[];
}

/** A new merchant and its first keys, which cannot be shown again: only their hashes are stored. */
export interface NewMerchant {
  readonly merchant: MerchantDoc;
  readonly testKey: string;
  readonly liveKey: string;
}

export interface MerchantsDeps extends RecordsDeps {
  /** `PLATFORM_FEE_BPS`: the fee of new merchants. */
  readonly platformFeeBps: number;
  /** Runs before the keys are returned: on a devnet the test wallets approve the merchant's operators. */
  readonly welcome: (merchant: MerchantDoc) => Promise<void>;
}

/** Creates a merchant with one key per environment. Resolves after `welcome` has. */
export async function createMerchant(
  { store: { records }, clock, platformFeeBps, welcome }: MerchantsDeps,
  { name }: { readonly name: string },
): Promise<NewMerchant> {
  const now = clock();
  const merchant = newMerchant(name, requireFeeBps(platformFeeBps), now);
  const testKey = newApiKey('test');
  const liveKey = newApiKey('live');
  await records.insert('merchants', [merchant]);
  await records.insert('apiKeys', [
    apiKeyDoc(testKey, merchant._id, 'test', now),
    apiKeyDoc(liveKey, merchant._id, 'live', now),
  ]);
  await welcome(merchant);
  return { merchant, testKey, liveKey };
}

/** Newest first. Throws 400 for an unknown `startingAfter`. */
export function listMerchants(
  { store: { records } }: Pick<RecordsDeps, 'store'>,
  { status, ...page }: MerchantFilter,
): Promise<ListPage<MerchantDoc>> {
  return readPage(page, {
    sort: NEWEST_FIRST,
    get: async (id) => (await records.get('merchants', [id]))[0] ?? null,
    find: (query) => records.find('merchants', { where: compact({ status }), ...query }),
  });
}

/** Throws 404. */
export async function accountOf({ store }: { readonly store: Store }, merchantId: string): Promise<Account> {
  const [merchant, keys, live, test] = await Promise.all([
    requireMerchant(store.records, merchantId),
    keysOf(store.records, merchantId),
    walletsOf(store, { merchantId, mode: 'live' }),
    walletsOf(store, { merchantId, mode: 'test' }),
  ]);
  const wallets = [...live, ...test].flatMap(({ tokenKey, ...row }) =>
    tokenKey === null ? [] : [{ ...row, tokenKey }],
  );
  return { merchant, keys, wallets };
}

function newMerchant(name: string, feeBps: number, now: Date): MerchantDoc {
  return {
    _id: newId('mrc', now),
    name,
    ...nameKeys({ name }),
    status: 'active',
    feeBps,
    limitFactor: 1,
    webhook: {
      liveUrl: '',
      testUrl: '',
      secret: null,
      secretRotatedAt: null,
      previousSecret: null,
      previousSecretUntil: null,
      extraEvents: { live: false, test: false },
    },
    createdAt: now,
    updatedAt: now,
  };
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

/**
 * Issues a key. It cannot be shown again, because only its hash is stored. Throws 404, and 409 if the environment has
 * 50 active keys.
 */
export async function issueKey(
  { store: { records }, clock }: RecordsDeps,
  merchantId: string,
  mode: Mode,
  order: StaffOrder,
): Promise<{ readonly key: string; readonly doc: ApiKeyDoc }> {
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
  { store: { records }, clock }: RecordsDeps,
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
