import type { CatalogToken } from '../../chains/catalog.ts';
import { conflict, notFound } from '../../errors/fault.ts';
import type { FormerWallet, WalletDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import { tenantStore } from '../../store/tenant.ts';
import {
  changeResource,
  type Emission,
  insertResource,
  newEnvelope,
  type ResourceDeps,
  type ResourceEffect,
} from '../resources/resource.ts';

interface AddressChange {
  readonly walletId: string;
  readonly tokenKey: string;
  readonly previousWallet: string | null;
  readonly newWallet: string | null;
}

/** The author of a change of a payout wallet (reference, section 6: `wallet.updated`, `source`). */
export interface WalletAuthor {
  readonly source: 'api' | 'dashboard';
  /**
   * The fields that the write stores besides the address. Called before each try, with the row as read; null: there is
   * none yet.
   */
  readonly mark: (
    row: WalletDoc | null,
    tenant: Tenant,
    change: AddressChange,
  ) => Promise<Pick<WalletDoc, 'staffEntry'>>;
}

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

/** Changes the address of an existing row. null: the merchant has no row for this token yet. */
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
    // The row was deleted meanwhile: its address stays, and the token has no row.
    if (doc.tokenKey === null || doc.receiverWallet === address) return null;
    const change = changeOf(doc, token.key, address);
    const now = deps.clock();
    const former = formerOf(doc, address, now);
    return {
      set: { receiverWallet: address, registeredAt: now, former, ...(await author.mark(doc, tenant, change)) },
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

/** Creates a token's first row. */
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
  const caused = { emit: [updated(change, author)], effects: FOLLOWING };
  const wallet = {
    ...newEnvelope(walletId, tenant, now, caused),
    tokenKey: token.key,
    chainId: token.chainId,
    receiverWallet: address,
    ...(await author.mark(null, tenant, change)),
  };
  const verdict = await insertResource(deps, 'wallets', wallet, caused);
  if (verdict.inserted) return { wallet, isNew: true };
  const twin = await replaceAddress(deps, tenant, token, address, author);
  if (twin === null) throw new Error(`wallet of ${token.key} collides on ${verdict.index} and is not there`);
  return twin;
}

/**
 * Removes the address; the row stays unlisted and can be deleted (docs/rules.md, "Wallets"). Emits `wallet.updated`.
 * Throws 404, and 409 if it has no address.
 */
export async function unregisterWallet(
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
      set: { receiverWallet: null, former: [], ...(await author.mark(doc, tenant, change)) },
      emit: [updated(change, author)],
      effects: FOLLOWING,
    };
  });
  if (before.tokenKey === null) throw notFound();
  return { ...after, tokenKey: before.tokenKey };
}

/**
 * Deletes a row without an address: no id finds it any more, and its token may get another row. Its pending webhooks
 * and journal entry stay in it. Throws 404, and 409 while it has an address.
 */
export async function deleteWallet(deps: ResourceDeps, tenant: Tenant, walletId: string): Promise<void> {
  await changeResource(deps, 'wallets', tenant, walletId, ({ tokenKey, receiverWallet }) => {
    if (tokenKey === null) throw notFound();
    if (receiverWallet === null) return { set: { tokenKey: null }, emit: [] };
    throw conflict(`Wallet has an address registered for ${tokenKey}; register a different one instead`);
  });
}

/** The most former addresses that are remembered. */
const FORMER_MAX = 8;

function formerOf({ receiverWallet, former = [] }: WalletDoc, address: string, now: Date): FormerWallet[] {
  const last = receiverWallet === null ? [] : [{ address: receiverWallet, until: now }];
  return [...last, ...former].filter((each) => each.address !== address).slice(0, FORMER_MAX);
}

function changeOf({ _id, receiverWallet }: WalletDoc, tokenKey: string, newWallet: string | null): AddressChange {
  return { walletId: _id, tokenKey, previousWallet: receiverWallet, newWallet };
}

function updated({ tokenKey, previousWallet, newWallet }: AddressChange, { source }: WalletAuthor): Emission {
  return { event: 'wallet.updated', data: { tokenKey, previousWallet, newWallet, source } };
}

/** Any change of the destination, also to a fallback, may unblock waiting charges. */
const FOLLOWING: readonly ResourceEffect[] = [{ type: 'payout.registered' }];
