import type { Catalog } from '../../chains/catalog.ts';
import { type ListPage, NEWEST_FIRST, type Page, readPage } from '../../model/lists.ts';
import type { ApiKeyDoc, MerchantDoc, StaffEntryDoc } from '../../store/collections.ts';
import type { Mode } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import type { TokenWallet } from '../payout/wallet-changes.ts';
import type { RegisteredNow, Wallets } from '../payout/wallets.ts';
import { type AccountDeps, type AccountSettings, reinstate, requireMerchant, setAccount, suspend } from './account.ts';
import { type BrandingChange, setBranding } from './branding.ts';
import { depositsOf, heldDeposits, type StaffDeposit, sendDeposit } from './deposits.ts';
import { type IssuedKey, issueKey, keysOf, revokeKey } from './keys.ts';
import { readStaffJournal, type StaffOrder, walletsOf } from './staff-journal.ts';
import { removeWallet, type SetWallet, setWallet } from './wallets.ts';

interface MerchantFilter extends Page {
  readonly status: MerchantDoc['status'] | null;
}

/** A merchant with its keys and wallets, newest first, including revoked keys and removed wallets. */
export interface Account {
  readonly merchant: MerchantDoc;
  readonly keys: readonly ApiKeyDoc[];
  /** The wallets of both environments, without those that the merchant has deleted. */
  readonly wallets: readonly TokenWallet[];
}

/**
 * The operations of staff on merchants (docs/rules.md, "Staff"). Every change records who asked for it and why, and its
 * entry is in the journal before the method resolves. Every method throws 404 for a merchant or deposit that does not
 * exist.
 */
export interface Administration {
  /** Newest first. Throws 400 for an unknown `startingAfter`, as every list here does. */
  list(filter: MerchantFilter): Promise<ListPage<MerchantDoc>>;
  get(merchantId: string): Promise<Account>;
  /** Throws 409 if the merchant is suspended. */
  suspend(merchantId: string, order: StaffOrder): Promise<MerchantDoc>;
  /** Charges that were not attempted meanwhile are due at once. Throws 409 if the merchant is not suspended. */
  reinstate(merchantId: string, order: StaffOrder): Promise<MerchantDoc>;
  /** Throws 400 for a fee that could not be paid out. */
  set(merchantId: string, settings: AccountSettings, order: StaffOrder): Promise<MerchantDoc>;
  /** Throws 400 for a logo that is none (docs/rules.md, "Branding"). */
  setBranding(merchantId: string, change: BrandingChange, order: StaffOrder): Promise<MerchantDoc>;
  issueKey(merchantId: string, mode: Mode, order: StaffOrder): Promise<IssuedKey>;
  /** Throws 409 if the key is revoked. */
  revokeKey(merchantId: string, keyId: string, order: StaffOrder): Promise<ApiKeyDoc>;
  /** Throws 400 as for the merchant itself. */
  setWallet(merchantId: string, wallet: SetWallet, order: StaffOrder): Promise<RegisteredNow>;
  /** Throws 409 if the wallet has no address. */
  removeWallet(merchantId: string, walletId: string, order: StaffOrder): Promise<TokenWallet>;
  /** Deposits that are held instead of refunded automatically, by payment, newest first. */
  heldDeposits(page: Page): Promise<ListPage<StaffDeposit>>;
  /** All deposits for a payment. Throws 404 if the payment is not paid by deposit. */
  deposits(paymentId: string): Promise<StaffDeposit[]>;
  /** Throws 400 if there is no valid address to send to, and 409 if the deposit is not held. */
  sendDeposit(depositId: string, to: string | null, order: StaffOrder): Promise<StaffDeposit>;
  /** Newest first. */
  journal(merchantId: string, page: Page): Promise<ListPage<StaffEntryDoc>>;
}

export interface AdministrationDeps extends Omit<AccountDeps, 'records'> {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly wallets: Wallets;
  /** Called after a merchant is stored as active again. */
  readonly onReinstated: (merchantId: string) => void;
}

export function createAdministration(deps: AdministrationDeps): Administration {
  const { store, wallets } = deps;
  const { records } = store;
  const account = { ...deps, records };
  return {
    list: ({ status, ...page }) =>
      readPage(page, {
        sort: NEWEST_FIRST,
        get: async (id) => (await records.get('merchants', [id]))[0] ?? null,
        find: (query) => records.find('merchants', { where: status === null ? {} : { status }, ...query }),
      }),
    get: (merchantId) => accountOf(store, merchantId),
    suspend: (merchantId, order) => suspend(account, merchantId, order),
    reinstate: async (merchantId, order) => {
      const merchant = await reinstate(account, merchantId, order);
      deps.onReinstated(merchantId);
      return merchant;
    },
    set: (merchantId, settings, order) => setAccount(account, merchantId, settings, order),
    setBranding: (merchantId, change, order) => setBranding(account, merchantId, change, order),
    issueKey: (merchantId, mode, order) => issueKey(account, merchantId, mode, order),
    revokeKey: (merchantId, keyId, order) => revokeKey(account, merchantId, keyId, order),
    setWallet: (merchantId, wallet, order) => setWallet({ ...account, wallets }, merchantId, wallet, order),
    removeWallet: (merchantId, walletId, order) => removeWallet({ ...account, wallets }, merchantId, walletId, order),
    heldDeposits: (page) => heldDeposits(account, page),
    deposits: (paymentId) => depositsOf(account, paymentId),
    sendDeposit: (depositId, to, order) => sendDeposit(account, depositId, to, order),
    journal: async (merchantId, page) => {
      await requireMerchant(records, merchantId);
      return readStaffJournal(store, merchantId, page);
    },
  };
}

async function accountOf(store: Store, merchantId: string): Promise<Account> {
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
