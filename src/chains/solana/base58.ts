import bs58 from 'bs58';
import { remembered } from '../remembered.ts';

/** How many addresses each direction keeps: a charge writes and reads the same few. */
const KEPT = 20_000;
const ADDRESS_BYTES = 32;
const texts = new Map<string, string>();
const addresses = new Map<string, Uint8Array>();

/** Bytes in Solana's base58: Bitcoin's alphabet, one `1` for each leading zero byte. */
export function toBase58(bytes: Uint8Array): string {
  if (bytes.length !== ADDRESS_BYTES) return bs58.encode(bytes);
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, ADDRESS_BYTES).toString('latin1');
  return remembered(texts, name, () => bs58.encode(bytes), KEPT);
}

/**
 * The bytes of a base58 text. Null: it has another character. The time grows with the square: not for thousands of
 * letters.
 */
export function fromBase58(text: string): Uint8Array | null {
  const known = addresses.get(text);
  if (known) return known.slice();
  const bytes = bs58.decodeUnsafe(text);
  if (bytes?.length === ADDRESS_BYTES) remembered(addresses, text, () => bytes.slice(), KEPT);
  return bytes ?? null;
}
