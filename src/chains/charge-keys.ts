import { keccak256 } from 'ethers';

/** The key of the charge of a cycle under a mandate. `agreement`: 32 bytes in hex. */
export function mandateKey(agreement: string, cycle: number): string {
  if (!Number.isSafeInteger(cycle) || cycle < 1) throw new RangeError(`cycle ${cycle}: expected an integer from 1`);
  return keccak256(`${agreement}${cycle.toString(16).padStart(64, '0')}`);
}
