import { notFound } from '../../errors/fault.ts';
import type { Mode } from '../../store/documents.ts';
import { type TokenWallet, unregisterWallet, type WalletAuthor } from '../payout/wallet-changes.ts';
import { type RegisteredNow, type RegisterWallet, registerWallet, type WalletsDeps } from '../payout/wallets.ts';
import { requireMerchant } from './account.ts';
import { keepEntries, type StaffOrder, staffEntry } from './staff-journal.ts';

export interface SetWallet extends RegisterWallet {
  readonly mode: Mode;
  /** How a person has confirmed it; null or absent: not at all. */
  readonly confirmedBy?: 'passkey' | 'sign-in' | null;
}

/**
 * Registers or replaces a merchant's payout wallet; emits `wallet.updated` with source `dashboard`. If it has the
 * address already, nothing changes and nothing is journaled. Throws 404, and 400 as for the merchant.
 */
export async function setWallet(
  deps: WalletsDeps,
  merchantId: string,
  { mode, confirmedBy = null, ...input }: SetWallet,
  order: StaffOrder,
): Promise<RegisteredNow> {
  await requireMerchant(deps.store.records, merchantId);
  const registered = await registerWallet(deps, { merchantId, mode }, input, byStaff(deps, order, confirmedBy));
  await keepEntries(deps.store.records, [registered.wallet.staffEntry]);
  return registered;
}

/**
 * Removes the address: the row stays without one and is not listed (docs/rules.md, "Wallets"). Throws 404, and 409 if
 * the wallet has no address.
 */
export async function removeWallet(
  deps: WalletsDeps,
  merchantId: string,
  walletId: string,
  order: StaffOrder,
): Promise<TokenWallet> {
  const [row] = await deps.store.records.get('wallets', [walletId]);
  if (row === undefined || row.merchantId !== merchantId) throw notFound();
  const wallet = await unregisterWallet(deps, { merchantId, mode: row.mode }, walletId, byStaff(deps, order));
  await keepEntries(deps.store.records, [wallet.staffEntry]);
  return wallet;
}

function byStaff(
  { store: { records }, clock }: WalletsDeps,
  order: StaffOrder,
  confirmedBy: SetWallet['confirmedBy'] = null,
): WalletAuthor {
  return {
    source: 'dashboard',
    mark: async (row, { merchantId, mode }, { walletId, tokenKey, previousWallet, newWallet }) => {
      await keepEntries(records, [row?.staffEntry]);
      const action = newWallet === null ? 'wallet.removed' : 'wallet.set';
      const details = { walletId, mode, tokenKey, previousWallet, newWallet, ...(confirmedBy && { confirmedBy }) };
      return { staffEntry: staffEntry(order, merchantId, clock(), { action, details }) };
    },
  };
}
