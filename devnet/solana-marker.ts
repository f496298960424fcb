import { createHash } from 'node:crypto';
import { toBase58 } from '../src/chains/solana/base58.ts';

/** The genesis hash of the local Solana chain of a data folder: how it says whose it is. */
export function solanaGenesisHash(folderId: string): string {
  return toBase58(createHash('sha256').update(`tideline local solana ${folderId}`).digest());
}
