import { PublicKey } from '@solana/web3.js';
import { isTokenProgram } from './programs.ts';
import { readMint, readTokenAccount } from './token-account.ts';
import type { WireAccount } from './wire.ts';

/** The kinds of accounts that these programs own: code, or facts about the chain. No wallet signs for them. */
const KINDS: { readonly [owner: string]: string } = {
  NativeLoader1111111111111111111111111111111: 'a program',
  BPFLoader1111111111111111111111111111111111: 'a program',
  BPFLoader2111111111111111111111111111111111: 'a program',
  BPFLoaderUpgradeab1e11111111111111111111111: 'a program',
  LoaderV411111111111111111111111111111111111: 'a program',
  Sysvar1111111111111111111111111111111111111: 'a sysvar of the chain',
};

/**
 * Why tokens paid to this address would be lost, as words that follow "must not be". Null: no reason is known. A token
 * account for it could be created, but nobody could ever sign for that account.
 */
export function whyUnpayable(account: WireAccount): string | null {
  if (account === null) return null;
  const { owner, data } = account;
  if (!isTokenProgram(owner)) return KINDS[owner] ?? null;
  const tokens = readTokenAccount(owner, data);
  if (tokens !== null) return `a token account; expected the wallet that owns it, which is ${tokens.owner}`;
  return readMint(owner, data) === null ? null : 'the mint of a token';
}

/** As `whyUnpayable`, for a payer without a key. A program can own such an address, and receive there. */
export const KEYLESS = 'an address without a key (it is not on the ed25519 curve), which cannot sign';

/** True if a key can exist that signs for this address. */
export function hasKey(address: string): boolean {
  return PublicKey.isOnCurve(address);
}
