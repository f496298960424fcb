import { conflict, notFound } from '../../fault.ts';
import type { WalletDoc } from '../../store/collections.ts';
import { type Tenant, tenantStore } from '../../store/tenant.ts';
import { NEWEST_FIRST } from '../newest-first.ts';
import type { ResourceDeps } from '../resource.ts';
import { requireToken } from '../tokens.ts';
import { chainOf, type PayoutAddressDeps, requirePayoutAddress } from './payout-address.ts';
import {
  BY_MERCHANT,
  makeRow,
  type Registered,
  removeAddress,
  replaceAddress,
  type WalletAuthor,
} from './wallet-changes.ts';

/** More rows than there are tokens; a merchant has one per token. */
const ROWS_MAX = 1_000;

export interface RegisterWallet {
  readonly tokenKey: string;
  readonly receiverWallet: string;
}

export interface Wallets {
  /**
   * Registers the payout wallet of a token, or replaces its address in place; emits `wallet.updated` unless nothing
   * changed. Throws 400 naming the field. By default the merchant does it.
   */
  register(tenant: Tenant, input: RegisterWallet, author?: WalletAuthor): Promise<Registered>;
  /**
   * Takes the address away; the row stays, is not listed, and can be deleted (docs/rules.md, "Wallets"). Emits
   * `wallet.updated`. Throws 404, and 409 when it has no address.
   */
  unregister(tenant: Tenant, id: string, author: WalletAuthor): Promise<WalletDoc>;
  /** Refused with 409 while it has an address: register another one instead. Throws 404. */
  remove(tenant: Tenant, id: string): Promise<WalletDoc>;
  /** The rows that have an address, newest first. */
  list(tenant: Tenant): Promise<WalletDoc[]>;
}

export type WalletsDeps = ResourceDeps & PayoutAddressDeps;

export function createWallets(deps: WalletsDeps): Wallets {
  return {
    register: async (tenant, input, author = BY_MERCHANT) => {
      const token = requireToken(deps.catalog, tenant.mode, input.tokenKey, 'tokenKey');
      const address = await requirePayoutAddress(deps, tenant, chainOf(token), input.receiverWallet, 'receiverWallet');
      const replaced = await replaceAddress(deps, tenant, token, address, author);
      return replaced ?? makeRow(deps, tenant, token, address, author);
    },
    unregister: (tenant, id, author) => removeAddress(deps, tenant, id, author),
    remove: async (tenant, id) => {
      const wallet = await tenantStore(deps.store, tenant).record('wallets', id);
      if (wallet === null) throw notFound();
      if (wallet.receiverWallet === null) return wallet;
      throw conflict(`Wallet has an address registered for ${wallet.tokenKey}; register a different one instead`);
    },
    list: (tenant) => registered(deps, tenant),
  };
}

function registered(deps: WalletsDeps, tenant: Tenant): Promise<WalletDoc[]> {
  return tenantStore(deps.store, tenant).find('wallets', {
    where: { receiverWallet: { not: null } },
    sort: NEWEST_FIRST,
    limit: ROWS_MAX,
  });
}
