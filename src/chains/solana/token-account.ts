import { toBase58 } from './base58.ts';
import { isTokenProgram } from './programs.ts';
import type { WireAccount } from './wire.ts';

/** The parts of a token account (Token and Token-2022 alike) that charges need. Amounts in base units. */
export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly delegate: string | null;
  /** The rest of the amount that the owner approved; 0 without a delegate. */
  readonly delegatedAmount: bigint;
  readonly state: 'uninitialized' | 'initialized' | 'frozen';
}

export interface MintAccount {
  readonly decimals: number;
  readonly supply: bigint;
}

/** The length in bytes of an account and of a mint without extensions. */
export const TOKEN_ACCOUNT_BYTES = 165;
export const MINT_BYTES = 82;

/** The byte that gives the kind of an account with extensions: 1 a mint, 2 a token account. */
const KIND_AT = TOKEN_ACCOUNT_BYTES;
const KIND_MINT = 1;
const KIND_ACCOUNT = 2;

const STATES = ['uninitialized', 'initialized', 'frozen'] as const;

/** Reads the data of an account that `program` owns; null when it is not a token account. */
export function readTokenAccount(program: string, data: Uint8Array): TokenAccount | null {
  if (!isTokenProgram(program) || data.length < TOKEN_ACCOUNT_BYTES) return null;
  if (data.length > TOKEN_ACCOUNT_BYTES && data[KIND_AT] !== KIND_ACCOUNT) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const state = STATES[data[108] ?? 0];
  if (state === undefined || state === 'uninitialized') return null;
  return {
    mint: toBase58(data.subarray(0, 32)),
    owner: toBase58(data.subarray(32, 64)),
    amount: view.getBigUint64(64, true),
    delegate: view.getUint32(72, true) === 1 ? toBase58(data.subarray(76, 108)) : null,
    delegatedAmount: view.getBigUint64(121, true),
    state,
  };
}

/** The token account of this mint. Null: it is none. */
export function tokenIn(account: WireAccount, mint: string): TokenAccount | null {
  const token = account && readTokenAccount(account.owner, account.data);
  return token?.mint === mint ? token : null;
}

/** Reads the data of an account that `program` owns; null when it is not a mint. */
export function readMint(program: string, data: Uint8Array): MintAccount | null {
  if (!isTokenProgram(program)) return null;
  const isMint = data.length === MINT_BYTES || (data.length > TOKEN_ACCOUNT_BYTES && data[KIND_AT] === KIND_MINT);
  if (!isMint || data[45] !== 1) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { supply: view.getBigUint64(36, true), decimals: data[44] ?? 0 };
}
