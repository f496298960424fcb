import { compact } from '../../model/compact.ts';
import { type ListPage, NEWEST_FIRST, type Page, readPage } from '../../model/lists.ts';
import type { ApiKeyDoc, MerchantDoc } from '../../store/collections.ts';
import type { Store } from '../../store/port.ts';
import type { TokenWallet } from '../payout/wallet-changes.ts';
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
