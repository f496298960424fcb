import { notFound } from '../../errors/fault.ts';
import type { Mode } from '../../store/documents.ts';
import type { RecordStore } from '../../store/port.ts';
import type { TokenWallet, WalletAuthor } from '../payout/wallet-changes.ts';
import type { RegisteredNow, RegisterWallet, Wallets } from '../payout/wallets.ts';
import { requireMerchant } from './account.ts';
import { keepEntries, type StaffOrder, staffEntry } from './staff-journal.ts';

export interface WalletsByStaffDeps {
  readonly records: RecordStore;
  readonly clock: () => Date;
  readonly wallets: Wallets;
}

export interface SetWallet extends RegisterWallet {
  readonly mode: Mode;
}

/**
 * Registers or replaces a merchant's payout wallet; emits `wallet.updated` with source `dashboard`. If it has the
 * address already, nothing changes and nothing is journaled. Throws 404, and 400 as for the merchant.
 */
export async function setWallet(
  deps: WalletsByStaffDeps,
  merchantId: string,
  { mode, ...input }: SetWallet,
  order: StaffOrder,
): Promise<RegisteredNow> {
  await requireMerchant(deps.records, merchantId);
  const registered = await deps.wallets.register({ merchantId, mode }, input, byStaff(deps, order));
  await keepEntries(deps.records, [registered.wallet.staffEntry]);
  return registered;
}

/**
 * Removes the address: the row stays without one and is not listed (docs/rules.md, "Wallets"). Throws 404, and 409 if
 * the wallet has no address.
 */
export async function removeWallet(
  deps: WalletsByStaffDeps,
  merchantId: string,
  walletId: string,
  order: StaffOrder,
): Promise<TokenWallet> {
  const [row] = await deps.records.get('wallets', [walletId]);
  if (row === undefined || row.merchantId !== merchantId) throw notFound();
  const wallet = await deps.wallets.unregister({ merchantId, mode: row.mode }, walletId, byStaff(deps, order));
  await keepEntries(deps.records, [wallet.staffEntry]);
  return wallet;
}

function byStaff({ records, clock }: WalletsByStaffDeps, order: StaffOrder): WalletAuthor {
  return {
    source: 'dashboard',
    mark: async (row, { merchantId, mode }, { walletId, tokenKey, previousWallet, newWallet }) => {
      await keepEntries(records, [row?.staffEntry]);
      const action = newWallet === null ? 'wallet.removed' : 'wallet.set';
      const details = { walletId, mode, tokenKey, previousWallet, newWallet };
      return { staffEntry: staffEntry(order, merchantId, clock(), { action, details }) };
    },
  };
}
