import type { Destination, PayoutQuestion, PayoutsOf } from '../../model/payout.ts';
import type { WalletDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { findRecordsOfAll } from '../../store/tenant.ts';

/** Greater than the number of tokens; a merchant has one row per token. */
const ROWS_EACH = 1_000;

export function payoutsFrom(store: Pick<Store, 'records'>): PayoutsOf {
  return async (tenants) => {
    const rows = new Map<string, WalletDoc[]>();
    const found = await Promise.all((['live', 'test'] as const).map((mode) => registered(store, tenants, mode)));
    for (const row of found.flat().toSorted(byRegistration)) {
      const own = rows.get(nameOf(row));
      if (own) own.push(row);
      else rows.set(nameOf(row), [row]);
    }
    const destinations = (tenant: Tenant, question: PayoutQuestion) =>
      destinationsOf(rows.get(nameOf(tenant)) ?? [], question);
    return { destinations, destination: (tenant, question) => destinations(tenant, question)[0]?.address ?? null };
  };
}

function registered(store: Pick<Store, 'records'>, all: readonly Tenant[], mode: Tenant['mode']): Promise<WalletDoc[]> {
  const tenants = all.filter((tenant) => tenant.mode === mode);
  return findRecordsOfAll(store, tenants, 'wallets', {
    where: { receiverWallet: { not: null } },
    limit: ROWS_EACH * tenants.length,
  });
}

/** The longest-registered address first. A replaced address counts from its replacement. */
function byRegistration(a: WalletDoc, b: WalletDoc): number {
  return registeredAt(a) - registeredAt(b) || (a._id < b._id ? -1 : 1);
}

function registeredAt({ registeredAt: since, createdAt }: WalletDoc): number {
  return (since ?? createdAt).getTime();
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
