import type { JsonObject } from '../../../machines/json.ts';
import { conflict, type Fault, invalid } from '../../errors/fault.ts';
import { comparableAddress, isSameAddress, parseAddress } from '../../model/addresses.ts';
import type { ChainFamily, CustomerWallet } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { chainsOf, type PayoutAddressDeps, requirePayoutAddress } from '../payout/payout-address.ts';

/** A PATCH of one family's wallet; null removes it. */
export interface WalletChange {
  readonly chainFamily: ChainFamily;
  readonly address: string | null;
}

/** A 409 (reference, section 4: POST /customers). */
export function walletTaken(): Fault {
  return conflict('A customer with this wallet address already exists');
}

/** The key by which a wallet is unique per merchant and mode; EVM addresses compare case-insensitively. */
export function walletKey(family: ChainFamily, address: string): string {
  return `${family}:${comparableAddress(family, address)}`;
}

export function walletKeysOf(wallets: readonly CustomerWallet[]): string[] {
  return wallets.map(({ chainFamily, address }) => walletKey(chainFamily, address));
}

/** Wallets as events and views show them. */
export function walletsJson(wallets: readonly CustomerWallet[]): JsonObject[] {
  return wallets.map(({ chainFamily, address }) => ({ chainFamily, address }));
}

/**
 * Checks that there is at most one wallet per family and that each can pay, and returns them in their stored spelling.
 * Throws 400 naming the entry.
 */
export function requireWalletChanges(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  changes: readonly WalletChange[],
): Promise<WalletChange[]> {
  requireOneEach(changes);
  return Promise.all(
    changes.map(async ({ chainFamily, address: text }, index) => {
      if (text === null) return { chainFamily, address: null };
      const paysOn = chainsOf(deps.catalog, chainFamily);
      const address = await requirePayoutAddress(deps, tenant, paysOn, text, `wallets[${index}].address`, 'payer');
      return { chainFamily, address };
    }),
  );
}

/**
 * The wallets after a change, merged per family; null removes all. An unchanged wallet keeps its spelling and its
 * position.
 */
export function mergedWallets(
  current: readonly CustomerWallet[],
  changes: readonly WalletChange[] | null,
): CustomerWallet[] {
  if (changes === null) return [];
  const kept = current.flatMap((wallet) => {
    const change = changes.find(({ chainFamily }) => chainFamily === wallet.chainFamily);
    if (change === undefined) return [wallet];
    const { chainFamily, address } = change;
    if (address === null) return [];
    return [isSameAddress(chainFamily, address, wallet.address) ? wallet : { chainFamily, address }];
  });
  const added = changes.flatMap(({ chainFamily, address }) =>
    address === null || current.some((wallet) => wallet.chainFamily === chainFamily) ? [] : [{ chainFamily, address }],
  );
  return [...kept, ...added];
}

/** The wallets of the first list that are not in the second. */
export function walletsWithout(
  wallets: readonly CustomerWallet[],
  others: readonly CustomerWallet[],
): CustomerWallet[] {
  const keys = new Set(walletKeysOf(others));
  return wallets.filter(({ chainFamily, address }) => !keys.has(walletKey(chainFamily, address)));
}

/** The key for which `walletAddress=` searches. Text that is no address gets a key that no wallet has. */
export function walletKeySought(text: string): string {
  const isEvm = /^0x[0-9a-f]{40}$/i.test(text);
  if (isEvm) return walletKey('evm', text);
  return parseAddress('solana', text) === null ? `?:${text}` : walletKey('solana', text);
}

function requireOneEach(entries: readonly WalletChange[]): void {
  for (const [index, { chainFamily }] of entries.entries()) {
    const isSecond = entries.findIndex((entry) => entry.chainFamily === chainFamily) !== index;
    if (isSecond) throw invalid(`wallets[${index}].chainFamily repeats ${chainFamily}: one wallet per family`);
  }
}
