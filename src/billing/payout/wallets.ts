import { groupBy } from '../../chains/group-by.ts';
import { NEWEST_FIRST } from '../../model/lists.ts';
import type { Destination, PayoutQuestion, PayoutsOf } from '../../model/payout.ts';
import { requireToken } from '../../model/tokens.ts';
import type { WalletDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { findRecordsOfAll, tenantStore } from '../../store/tenant.ts';
import type { ResourceDeps } from '../resources/resource.ts';
import { effectiveDates, ROWS_MAX, registeredAt, spendAnnouncements } from './announcements.ts';
import { chainOf, type PayoutAddressDeps, requirePayoutAddress } from './payout-address.ts';
import {
  BY_MERCHANT,
  makeRow,
  type Registered,
  type RegisteredWallet,
  replaceAddress,
  type WalletAuthor,
} from './wallet-changes.ts';

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

export function payoutsFrom(store: Pick<Store, 'records'>): PayoutsOf {
  return async (tenants) => {
    const found = await Promise.all((['live', 'test'] as const).map((mode) => registered(store, tenants, mode)));
    const rows = groupBy(found.flat().toSorted(byRegistration), nameOf);
    const destinations = (tenant: Tenant, question: PayoutQuestion) =>
      destinationsOf(rows.get(nameOf(tenant)) ?? [], question);
    return { destinations, destination: (tenant, question) => destinations(tenant, question)[0]?.address ?? null };
  };
}

function registered(store: Pick<Store, 'records'>, all: readonly Tenant[], mode: Tenant['mode']): Promise<WalletDoc[]> {
  const tenants = all.filter((tenant) => tenant.mode === mode);
  return findRecordsOfAll(store, tenants, 'wallets', {
    where: { receiverWallet: { not: null } },
    limit: ROWS_MAX * tenants.length,
  });
}

/** The longest-registered address first. A replaced address counts from its replacement. */
function byRegistration(a: WalletDoc, b: WalletDoc): number {
  return registeredAt(a).getTime() - registeredAt(b).getTime() || (a._id < b._id ? -1 : 1);
}

function destinationsOf(rows: readonly WalletDoc[], { tokenKey, chainId, family, fallback }: PayoutQuestion) {
  const own = rows.filter((row) => row.tokenKey === tokenKey);
  const other = rows.filter((row) => row.tokenKey !== tokenKey && row.chainId === chainId).slice(0, 1);
  const option = fallback?.[family] ?? null;
  return [...own.flatMap(addressesOf), ...(option === null ? [] : [present(option)]), ...other.flatMap(addressesOf)];
}

function addressesOf({ receiverWallet, former = [] }: WalletDoc): Destination[] {
  return receiverWallet === null ? [] : [present(receiverWallet), ...former];
}

function present(address: string): Destination {
  return { address, until: null };
}

function nameOf({ merchantId, mode }: Tenant): string {
  return `${merchantId}/${mode}`;
}
