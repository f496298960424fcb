import { PublicKey } from '@solana/web3.js';
import { fromBase58 } from './base58.ts';

/** How many keys are kept; a key never changes. */
const KEPT = 5_000;
const keys = new Map<string, PublicKey>();

/**
 * The web3.js key of an address. Cached, because web3.js parses several times slower and a charge needs a dozen.
 *
 * @throws Error when it is not an address
 */
export function publicKeyOf(address: string): PublicKey {
  const known = keys.get(address);
  if (known) return known;
  const bytes = fromBase58(address);
  if (bytes?.length !== 32) throw new Error(`${address} is no Solana address`);
  const key = new PublicKey(bytes);
  if (keys.size >= KEPT) keys.clear();
  keys.set(address, key);
  return key;
}
