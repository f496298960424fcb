import { createHash } from 'node:crypto';
import { toBase58 } from '../src/chains/solana/keys.ts';

/** The genesis hash of a data folder's local Solana chain; it identifies the chain. */
export function solanaGenesisHash(folderId: string): string {
  return toBase58(createHash('sha256').update(`tideline local solana ${folderId}`).digest());
}
