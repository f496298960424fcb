import { PublicKey } from '@solana/web3.js';
import { fromBase58 } from './base58.ts';

/**
 * An address as the libraries take it. Their own reading of it takes several times as long, and a charge is built of a dozen.
 *
 * @throws Error when it is no address
 */
export function publicKeyOf(address: string): PublicKey {
  const bytes = fromBase58(address);
  if (bytes?.length !== 32) throw new Error(`${address} is no Solana address`);
  return new PublicKey(bytes);
}
