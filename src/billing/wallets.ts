import type { CatalogToken } from '../chains/catalog.ts';
import { conflict, notFound } from '../fault.ts';
import { newId } from '../ids.ts';
import type { ChainFamily, DestinationWallets, WalletDoc } from '../store/collections.ts';
import { type Tenant, tenantStore } from '../store/tenant.ts';
import { type PayoutAddressDeps, requirePayoutAddress } from './payout-address.ts';
import { changeResource, type Emission, insertResource, newEnvelope, type ResourceDeps } from './resource.ts';
import { requireToken } from './tokens.ts';

/** More rows than there are tokens; a merchant has one per token. */
const ROWS_MAX = 1_000;

export interface RegisterWallet {
  readonly tokenKey: string;
  readonly receiverWallet: string;
}

/** `isNew`: no address was registered for the token before. */
export interface Registered {
  readonly wallet: WalletDoc & { readonly receiverWallet: string };
  readonly isNew: boolean;
}

/** Which token of which chain is to be paid out, and where to if nothing is registered for it. */
export interface PayoutQuestion {
  readonly tokenKey: string;
  readonly chainId: number;
  readonly family: ChainFamily;
  /** The pricing option's `merchantDestinationWallet`. */
  readonly fallback: DestinationWallets | null;
}

export interface Wallets {
  /**
   * Registers the payout wallet of a token, or replaces its address in place; emits `wallet.updated` unless nothing
   * changed. Throws 400 naming the field.
   */
  register(tenant: Tenant, input: RegisterWallet): Promise<Registered>;
  /** Refused with 409 while it has an address: register another one instead. Throws 404. */
  remove(tenant: Tenant, id: string): Promise<WalletDoc>;
  /** The rows that have an address, newest first. */
  list(tenant: Tenant): Promise<WalletDoc[]>;
  /**
   * Where charges of a token go (decisions, "Money"): its registered wallet; else the option's own destination; else
   * the merchant's longest-registered wallet for another token of the same chain; else null: the charge is not
   * attempted.
   */
  payoutDestination(tenant: Tenant, question: PayoutQuestion): Promise<string | null>;
}

export type WalletsDeps = ResourceDeps & PayoutAddressDeps;

export function createWallets(deps: WalletsDeps): Wallets {
  return {
    register: async (tenant, input) => {
      const token = requireToken(deps.catalog, tenant.mode, input.tokenKey, 'tokenKey');
      const address = requirePayoutAddress(deps, tenant, token, input.receiverWallet, 'receiverWallet');
      return (await replaced(deps, tenant, token, address)) ?? (await made(deps, tenant, token, address));
    },
    remove: async (tenant, id) => {
      const wallet = await tenantStore(deps.store, tenant).record('wallets', id);
      if (wallet === null) throw notFound();
      if (wallet.receiverWallet === null) return wallet;
      throw conflict(`Wallet has an address registered for ${wallet.tokenKey}; register a different one instead`);
    },
    list: (tenant) => registered(deps, tenant, -1),
    payoutDestination: (tenant, question) => payoutDestination(deps, tenant, question),
  };
}

/** Null: the merchant has no row for this token yet. */
async function replaced(
  deps: WalletsDeps,
  tenant: Tenant,
  token: CatalogToken,
  address: string,
): Promise<Registered | null> {
  const mine = tenantStore(deps.store, tenant);
  const [row] = await mine.find('wallets', { where: { tokenKey: token.key }, limit: 1 });
  if (row === undefined) return null;
  let previous: string | null = null;
  const wallet = await changeResource(deps, 'wallets', tenant, row._id, (doc) => {
    previous = doc.receiverWallet;
    if (previous === address) return null;
    return { set: { receiverWallet: address }, emit: [updated(token.key, previous, address)] };
  });
  return { wallet: { ...wallet, receiverWallet: address }, isNew: previous === null };
}

async function made(deps: WalletsDeps, tenant: Tenant, token: CatalogToken, address: string): Promise<Registered> {
  const now = deps.clock();
  const wallet = {
    ...newEnvelope(newId('wal', now), tenant, now, [updated(token.key, null, address)]),
    tokenKey: token.key,
    chainId: token.chainId,
    receiverWallet: address,
  };
  const verdict = await insertResource(deps, 'wallets', wallet);
  if (verdict.inserted) return { wallet, isNew: true };
  const twin = await replaced(deps, tenant, token, address);
  if (twin === null) throw new Error(`wallet of ${token.key} collides on ${verdict.index} and is not there`);
  return twin;
}

function updated(tokenKey: string, previousWallet: string | null, newWallet: string): Emission {
  return { event: 'wallet.updated', data: { tokenKey, previousWallet, newWallet, source: 'api' } };
}

function registered(deps: WalletsDeps, tenant: Tenant, order: 1 | -1): Promise<WalletDoc[]> {
  return tenantStore(deps.store, tenant).find('wallets', {
    where: { receiverWallet: { not: null } },
    sort: [
      ['createdAt', order],
      ['_id', order],
    ],
    limit: ROWS_MAX,
  });
}

async function payoutDestination(deps: WalletsDeps, tenant: Tenant, question: PayoutQuestion): Promise<string | null> {
  const rows = await registered(deps, tenant, 1);
  const own = rows.find((row) => row.tokenKey === question.tokenKey);
  if (own !== undefined) return own.receiverWallet;
  const fallback = question.fallback?.[question.family] ?? null;
  if (fallback !== null) return fallback;
  return rows.find((row) => row.chainId === question.chainId)?.receiverWallet ?? null;
}
