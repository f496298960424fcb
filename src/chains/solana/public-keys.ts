import { PublicKey } from '@solana/web3.js';
import { remembered } from '../remembered.ts';
import { fromBase58 } from './keys.ts';

/** How many keys are kept; a key never changes. */
const KEPT = 5_000;
const keys = new Map<string, PublicKey>();

/**
 * The web3.js key of an address. Cached, because web3.js parses several times slower and a charge needs a dozen.
 *
 * @throws Error when it is not an address
 */
export function publicKeyOf(address: string): PublicKey {
  return remembered(keys, address, parsed, KEPT);
}

function parsed(address: string): PublicKey {
  const bytes = fromBase58(address);
  if (bytes?.length !== 32) throw new Error(`${address} is no Solana address`);
  return new PublicKey(bytes);
}
