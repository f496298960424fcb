import { decodeBase58, getAddress, isAddress, ZeroAddress } from 'ethers';
import { invalid } from '../errors/fault.ts';
import type { ChainFamily } from '../store/collections.ts';

const SOLANA_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SOLANA_BYTES = 32;
/** 32 zero bytes: the System program, which nobody can own. */
const SOLANA_ZERO = '1'.repeat(SOLANA_BYTES);

/**
 * An address of a chain family in the spelling to be stored (EVM: checksummed, EIP-55), or null when it is none. An EVM
 * address in mixed case must have the right checksum; all lower or all upper case is taken as without one.
 */
export function parseAddress(family: ChainFamily, text: string): string | null {
  switch (family) {
    case 'evm':
      return /^0x[0-9a-fA-F]{40}$/.test(text) && isAddress(text) ? getAddress(text) : null;
    case 'solana':
      return isSolanaAddress(text) ? text : null;
    default: {
      const never: never = family;
      throw new Error(`unknown chain family ${String(never)}`);
    }
  }
}

/** The family whose form an address has, or null when it is none. */
export function familyOfAddress(text: string): ChainFamily | null {
  if (parseAddress('evm', text) !== null) return 'evm';
  return parseAddress('solana', text) === null ? null : 'solana';
}

/** Like `parseAddress`; throws 400 naming `field` for what is no address of the family, and for the zero address. */
export function requireAddress(family: ChainFamily, text: string, field: string): string {
  const address = parseAddress(family, text);
  if (address === null) throw invalid(`${field} must be ${describeFamily(family)}`);
  if (isZeroAddress(family, address)) throw invalid(`${field} must not be the zero address`);
  return address;
}

/** The form in which two spellings of one address are equal: lower case on EVM, as it is on Solana. */
export function comparableAddress(family: ChainFamily, address: string): string {
  return family === 'evm' ? address.toLowerCase() : address;
}

export function isSameAddress(family: ChainFamily, a: string, b: string): boolean {
  return comparableAddress(family, a) === comparableAddress(family, b);
}

/** Nobody has it: what is sent there is lost, where it can be sent at all. */
export function isZeroAddress(family: ChainFamily, address: string): boolean {
  return address === (family === 'evm' ? ZeroAddress : SOLANA_ZERO);
}

function describeFamily(family: ChainFamily): string {
  if (family === 'solana') return 'a Solana address (base58 of 32 bytes)';
  return 'an EVM address (0x and 40 hex digits; in mixed case with a valid EIP-55 checksum)';
}

function isSolanaAddress(text: string): boolean {
  if (!SOLANA_PATTERN.test(text)) return false;
  const zeros = text.length - text.replace(/^1+/, '').length;
  const value = decodeBase58(text);
  const bytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2);
  return zeros + bytes === SOLANA_BYTES;
}
