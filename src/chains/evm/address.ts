import { getAddress as hashed } from 'ethers';
import { remembered } from '../remembered.ts';

/** By spelling. A charge has the same few addresses many times, and each checksum is a hash. */
const checksummed = new Map<string, string>();

/**
 * The address with its checksum (EIP-55).
 * @throws TypeError if it is no address, or is in mixed case with another checksum
 */
export function getAddress(text: string): string {
  return remembered(checksummed, text, hashed);
}

/** As `getAddress`, but null for any other text, also for an address without `0x`. */
export function parseAddress(text: string): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null;
  try {
    return getAddress(text);
  } catch {
    return null;
  }
}
