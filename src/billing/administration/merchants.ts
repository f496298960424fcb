import { compact } from '../../model/compact.ts';
import { requireFeeBps } from '../../model/fees.ts';
import { type ListPage, NEWEST_FIRST, type Page, readPage } from '../../model/lists.ts';
import { apiKeyDoc, newApiKey } from '../../model/secrets.ts';
import type { ApiKeyDoc, MerchantDoc } from '../../store/collections.ts';
import { newId } from '../../store/ids.ts';
import type { Store } from '../../store/port.ts';
import type { TokenWallet } from '../payout/wallet-changes.ts';
import { nameKeys } from '../resources/search-keys.ts';
import { requireMerchant } from './account.ts';
import { keysOf } from './keys.ts';
import { walletsOf } from './staff-journal.ts';

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

export interface MerchantsDeps {
  readonly store: Pick<Store, 'records'>;
  readonly clock: () => Date;
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
  { store: { records } }: { readonly store: Pick<Store, 'records'> },
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
