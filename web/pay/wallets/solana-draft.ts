import { fromBase64 } from '../base64.ts';
import type { Drafted } from './wallet.ts';

/** The bytes of a transaction for a Solana wallet. */
export function bytesOf(drafted: Drafted): Uint8Array<ArrayBuffer> {
  if (drafted.family !== 'solana') throw new Error('this wallet sends transactions of Solana only');
  return fromBase64(drafted.transaction);
}
