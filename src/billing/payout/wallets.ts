import { NEWEST_FIRST } from '../../model/lists.ts';
import { requireToken } from '../../model/tokens.ts';
import type { Tenant } from '../../store/documents.ts';
import { tenantStore } from '../../store/tenant.ts';
import type { ResourceDeps } from '../resources/resource.ts';
import { effectiveDates, spendAnnouncements } from './announcements.ts';
import { chainOf, type PayoutAddressDeps, requirePayoutAddress } from './payout-address.ts';
import {
  BY_MERCHANT,
  makeRow,
  type Registered,
  type RegisteredWallet,
  replaceAddress,
  type WalletAuthor,
} from './wallet-changes.ts';

/** Greater than the number of tokens; a merchant has one row per token. */
const ROWS_MAX = 1_000;

export interface RegisterWallet {
  readonly tokenKey: string;
  readonly receiverWallet: string;
}

export interface DatedWallet extends RegisteredWallet {
  /** When charges under earlier mandates begin to pay the address; null: its announcement was withdrawn. */
  readonly effectiveAt: Date | null;
}

export interface RegisteredNow extends Registered {
  readonly wallet: DatedWallet;
}

export interface WalletsDeps extends ResourceDeps, PayoutAddressDeps {}

/**
 * Registers the payout wallet of a token, or replaces its address in place; emits `wallet.updated` unless nothing
 * changed. Throws 400 naming the field, and 429 if the merchant has no announcement left today that the address needs.
 * By default the merchant does it.
 */
export async function registerWallet(
  deps: WalletsDeps,
  tenant: Tenant,
  { tokenKey, receiverWallet }: RegisterWallet,
  author: WalletAuthor = BY_MERCHANT,
): Promise<RegisteredNow> {
  const token = requireToken(deps.catalog, tenant.mode, tokenKey, 'tokenKey');
  const address = await requirePayoutAddress(deps, tenant, chainOf(token), receiverWallet, 'receiverWallet');
  const paying: WalletAuthor = {
    ...author,
    mark: async (...change) => {
      await spendAnnouncements(deps, tenant, { tokenKey: token.key, receiverWallet: address });
      return author.mark(...change);
    },
  };
  const replaced = await replaceAddress(deps, tenant, token, address, paying);
  const { wallet, isNew } = replaced ?? (await makeRow(deps, tenant, token, address, paying));
  const dates = await effectiveDates(deps, tenant, [wallet]);
  return { wallet: { ...wallet, effectiveAt: dates.get(wallet._id) ?? null }, isNew };
}

/** The rows that have an address, newest first. */
export async function listWallets(deps: WalletsDeps, tenant: Tenant): Promise<DatedWallet[]> {
  const rows = await tenantStore(deps.store, tenant).find('wallets', {
    where: { receiverWallet: { not: null } },
    sort: NEWEST_FIRST,
    limit: ROWS_MAX,
  });
  const mine = rows.flatMap(({ tokenKey, receiverWallet, ...row }) =>
    tokenKey === null || receiverWallet === null ? [] : [{ ...row, tokenKey, receiverWallet }],
  );
  const dates = await effectiveDates(deps, tenant, mine);
  return mine.map((row) => ({ ...row, effectiveAt: dates.get(row._id) ?? null }));
}
