import { createHash } from 'node:crypto';
import { getAddress } from 'ethers';

/** 32 bytes (0x-hex), unique for the text. SHA-256: keccak takes twenty times as long, and nobody checks. */
export function digestOf(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

/** Cached values that every run needs. */
const known = new Map<string, string>();
const KNOWN_MAX = 10_000;

/** The result of `make`, which must depend on `name` only; cached for the whole process. */
export function remembered(name: string, make: () => string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = make();
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(name, made);
  return made;
}

/** EIP-55. */
export function checksummed(address: string): string {
  return remembered(`checksum ${address}`, () => getAddress(address));
}
