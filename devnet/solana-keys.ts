import { createHash } from 'node:crypto';
import { keyFromSeed, type SolanaKey, secretOf } from '../src/chains/solana/keys.ts';
import { type WalletRule, walletRules } from './wallet-rules.ts';

export interface SolanaWalletRules extends WalletRule {
  readonly key: SolanaKey;
  readonly secretKey: string;
}

/** The 32 bytes for `purpose`, the same on every machine. Everybody knows them: use their key nowhere else. */
export function localSeed(purpose: string): Uint8Array {
  return createHash('sha256').update(`tideline local devnet: solana ${purpose}`).digest();
}

/** A local key, and its secret in base58, the format for imports into wallets. */
export function localSolanaKey(purpose: string): { readonly key: SolanaKey; readonly secretKey: string } {
  const seed = localSeed(purpose);
  return { key: keyFromSeed(seed), secretKey: secretOf(seed) };
}

/** The test wallets with their rules, in display order. */
export function solanaWallets(): SolanaWalletRules[] {
  return walletRules("the newest merchant's delegate", 'fail').map((rule) => {
    return { ...rule, ...localSolanaKey(`wallet ${rule.name}`) };
  });
}

/** Mints the test tokens, and freezes their accounts. */
export function authorityKey(): SolanaKey {
  return localSolanaKey('authority of the test tokens').key;
}

/** The source of lamports. */
export function faucetKey(): SolanaKey {
  return localSolanaKey('faucet').key;
}

export function mintAddress(ticker: string, decimals: number): string {
  return localSolanaKey(`mint of ${ticker} with ${decimals} decimals`).key.address;
}
