import { decodeBase58, ZeroAddress } from 'ethers';
import { unknownCase } from '../../machines/unknown-case.ts';
import { parseAddress as parseEvmAddress } from '../chains/evm/address.ts';
import { invalid } from '../errors/fault.ts';
import type { ChainFamily } from '../store/collections.ts';

const SOLANA_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SOLANA_BYTES = 32;
/** 32 zero bytes: the System program, for which nobody has a key. */
const SOLANA_ZERO = '1'.repeat(SOLANA_BYTES);

/**
 * The address in its stored spelling (EVM: checksummed, EIP-55), or null if it is not an address of the family. An EVM
 * address in mixed case must have the right checksum; one all in lower or upper case needs none.
 */
export function parseAddress(family: ChainFamily, text: string): string | null {
  switch (family) {
    case 'evm':
      return parseEvmAddress(text);
    case 'solana':
      return isSolanaAddress(text) ? text : null;
    default:
      return unknownCase(family, 'chain family');
  }
}

/** The family whose form the text has, or null if it is not an address. */
export function familyOfAddress(text: string): ChainFamily | null {
  if (parseAddress('evm', text) !== null) return 'evm';
  return parseAddress('solana', text) === null ? null : 'solana';
}

/**
 * Like `parseAddress`, but throws 400 naming `field` if the text is not an address of the family, or is the zero
 * address.
 */
export function requireAddress(family: ChainFamily, text: string, field: string): string {
  const address = parseAddress(family, text);
  if (address === null) throw invalid(`${field} must be ${describeFamily(family)}`);
  if (isZeroAddress(family, address)) throw invalid(`${field} must not be the zero address`);
  return address;
}

/** The form in which all spellings of an address are equal: lower case on EVM, unchanged on Solana. */
export function comparableAddress(family: ChainFamily, address: string): string {
  return family === 'evm' ? address.toLowerCase() : address;
}

export function isSameAddress(family: ChainFamily, a: string, b: string): boolean {
  return comparableAddress(family, a) === comparableAddress(family, b);
}

/** True for the address that nobody owns: a transfer to it is lost, where the chain allows it. */
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
