import { keccak_256 } from '@noble/hashes/sha3';
import bs58 from 'bs58';
import type { Wrong } from './field-fault.ts';

const NAMES = { evm: 'EVM', solana: 'Solana' } as const;
const NOBODY = 'Nobody owns this address: the money would be lost.';

/** The fault of the address of a wallet on a chain of this family; null: nothing, or it is empty. */
export function wrongAddress(family: 'evm' | 'solana', typed: string): Wrong | null {
  const text = typed.trim();
  if (text === '') return null;
  const [own, other] = family === 'evm' ? ([evmFault, solanaFault] as const) : ([solanaFault, evmFault] as const);
  const fault = own(text);
  if (fault === null) return null;
  if (other(text) !== null) return { text: fault, isPartial: text.length < 32 };
  const elsewhere = NAMES[family === 'evm' ? 'solana' : 'evm'];
  return { text: `This is an address on ${elsewhere}. Enter one on ${NAMES[family]}.`, isPartial: false };
}

function evmFault(text: string): string | null {
  if (!text.startsWith('0x')) return 'An EVM address begins with 0x.';
  if (/[^0-9a-fA-F]/.test(text.slice(2))) return 'After 0x, an EVM address has only the characters 0–9 and a–f.';
  if (text.length !== 42) return `An EVM address has 42 characters; this one has ${text.length}.`;
  if (/^0x0+$/.test(text)) return NOBODY;
  return isChecked(text.slice(2)) ? null : 'A character is wrong: the checksum does not fit. Copy the address again.';
}

/** In mixed case, the case is a checksum (EIP-55). */
function isChecked(digits: string): boolean {
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  const hash = keccak_256(digits.toLowerCase());
  const isUpper = (at: number) => ((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) % 16 >= 8;
  return [...digits].every((digit, at) => digit === (isUpper(at) ? digit.toUpperCase() : digit.toLowerCase()));
}

function solanaFault(text: string): string | null {
  if (/[^1-9A-HJ-NP-Za-km-z]/.test(text)) return 'A Solana address has only letters and digits, without 0, O, I and l.';
  if (text.length > 44 || bs58.decode(text).length !== 32) return 'This is not a whole Solana address. Copy it again.';
  return /^1+$/.test(text) ? NOBODY : null;
}
