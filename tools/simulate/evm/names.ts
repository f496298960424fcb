import { createHash } from 'node:crypto';
import { getAddress } from 'ethers';

/**
 * 32 bytes (0x-hex) that follow from a text and are no other text's: what nobody computes himself need not be a keccak, which
 * takes twenty times as long.
 */
export function digestOf(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

/** What has been computed of names that every run has again. */
const known = new Map<string, string>();
const KNOWN_MAX = 10_000;

/** What `make` gives, which follows from `name` alone; remembered by this process. */
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
