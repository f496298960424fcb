import type { CatalogToken } from '../../chains/catalog.ts';
import { conflict, notFound } from '../../errors/fault.ts';
import type { WalletDoc } from '../../store/collections.ts';
import { newId } from '../../store/ids.ts';
import { type Tenant, tenantStore } from '../../store/tenant.ts';
import {
  changeResource,
  type Emission,
  insertResource,
  newEnvelope,
  type ResourceDeps,
  type ResourceEffect,
} from '../resource.ts';

/** What becomes of the address of one row. */
export interface AddressChange {
  readonly walletId: string;
  readonly tokenKey: string;
  readonly previousWallet: string | null;
  readonly newWallet: string | null;
}

/** Who changes a payout wallet (reference, section 6: `wallet.updated`, `source`). */
export interface WalletAuthor {
  readonly source: 'api' | 'dashboard';
  /**
   * What the write leaves in the row beside the address. Asked before each try to write, with the row as it was read; null:
   * there is none yet.
   */
  readonly mark: (
    row: WalletDoc | null,
    tenant: Tenant,
    change: AddressChange,
  ) => Promise<Pick<WalletDoc, 'staffEntry'>>;
}

/** The merchant itself. */
export const BY_MERCHANT: WalletAuthor = { source: 'api', mark: async () => ({}) };

/** A row that has not been deleted. */
export type TokenWallet = WalletDoc & { readonly tokenKey: string };

/** A row with an address. */
export type RegisteredWallet = TokenWallet & { readonly receiverWallet: string };

/** `isNew`: no address was registered for the token before. */
export interface Registered {
  readonly wallet: RegisteredWallet;
  readonly isNew: boolean;
}

/** The address of a row that is there, changed. Null: the merchant has no row for this token yet. */
export async function replaceAddress(
  deps: ResourceDeps,
  tenant: Tenant,
  token: CatalogToken,
  address: string,
  author: WalletAuthor,
): Promise<Registered | null> {
  const mine = tenantStore(deps.store, tenant);
  const [row] = await mine.find('wallets', { where: { tokenKey: token.key }, limit: 1 });
  if (row === undefined) return null;
  const { before, after } = await changeResource(deps, 'wallets', tenant, row._id, async (doc) => {
    // Deleted since it was found: what is stored for it stays, and the token has no row.
    if (doc.tokenKey === null || doc.receiverWallet === address) return null;
    const change = changeOf(doc, token.key, address);
    return {
      set: { receiverWallet: address, registeredAt: deps.clock(), ...(await author.mark(doc, tenant, change)) },
      emit: [updated(change, author)],
      effects: FOLLOWING,
    };
  });
  if (after.tokenKey === null) return null;
  return {
    wallet: { ...after, tokenKey: token.key, receiverWallet: address },
    isNew: before.receiverWallet === null,
  };
}

/** A token's first row. */
export async function makeRow(
  deps: ResourceDeps,
  tenant: Tenant,
  token: CatalogToken,
  address: string,
  author: WalletAuthor,
): Promise<Registered> {
  const now = deps.clock();
  const walletId = newId('wal', now);
  const change = { walletId, tokenKey: token.key, previousWallet: null, newWallet: address };
  const wallet = {
    ...newEnvelope(walletId, tenant, now, [updated(change, author)], FOLLOWING),
    tokenKey: token.key,
    chainId: token.chainId,
    receiverWallet: address,
    ...(await author.mark(null, tenant, change)),
  };
  const verdict = await insertResource(deps, 'wallets', wallet);
  if (verdict.inserted) return { wallet, isNew: true };
  const twin = await replaceAddress(deps, tenant, token, address, author);
  if (twin === null) throw new Error(`wallet of ${token.key} collides on ${verdict.index} and is not there`);
  return twin;
}

/** The row stays, without an address. Throws 404, and 409 when it has none. */
export async function removeAddress(
  deps: ResourceDeps,
  tenant: Tenant,
  walletId: string,
  author: WalletAuthor,
): Promise<TokenWallet> {
  const { before, after } = await changeResource(deps, 'wallets', tenant, walletId, async (doc) => {
    if (doc.tokenKey === null) throw notFound();
    if (doc.receiverWallet === null) throw conflict(`Wallet has no address registered for ${doc.tokenKey}`);
    const change = changeOf(doc, doc.tokenKey, null);
    return {
      set: { receiverWallet: null, ...(await author.mark(doc, tenant, change)) },
      emit: [updated(change, author)],
      effects: FOLLOWING,
    };
  });
  if (before.tokenKey === null) throw notFound();
  return { ...after, tokenKey: before.tokenKey };
}

/**
 * A row without an address is deleted: it is found under no id any more, and its token is free for another row. What is on
 * its way to webhooks and to the staff's journal stays in it. Throws 404, and 409 while it has an address.
 */
export async function deleteRow(deps: ResourceDeps, tenant: Tenant, walletId: string): Promise<void> {
  await changeResource(deps, 'wallets', tenant, walletId, ({ tokenKey, receiverWallet }) => {
    if (tokenKey === null) throw notFound();
    if (receiverWallet === null) return { set: { tokenKey: null }, emit: [] };
    throw conflict(`Wallet has an address registered for ${tokenKey}; register a different one instead`);
  });
}

function changeOf({ _id, receiverWallet }: WalletDoc, tokenKey: string, newWallet: string | null): AddressChange {
  return { walletId: _id, tokenKey, previousWallet: receiverWallet, newWallet };
}

function updated({ tokenKey, previousWallet, newWallet }: AddressChange, { source }: WalletAuthor): Emission {
  return { event: 'wallet.updated', data: { tokenKey, previousWallet, newWallet, source } };
}

/** Whichever way the destination changes, also to a fallback by a removal, there may be charges that waited for that. */
const FOLLOWING: readonly ResourceEffect[] = [{ type: 'payout.registered' }];
