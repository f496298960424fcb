import { z } from 'zod';
import { listOf } from '../list-of.ts';
import { remembered } from '../remembered.ts';
import type { RpcCall } from '../rpc.ts';
import { Blocked } from '../troubles.ts';
import { toBase58 } from './base58.ts';
import type { TokenInfo } from './mints.ts';
import { isTokenProgram, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { publicKeyOf } from './public-keys.ts';
import { getAssociatedTokenAddressSync } from './spl-token.ts';
import { inContext, type WireAccount } from './wire.ts';

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

interface MintAccount {
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

interface OwnedAccount extends TokenAccount {
  readonly address: string;
}

/** The accounts of an owner that can be read. */
export const ownedSchema = inContext(
  listOf(
    z.object({
      pubkey: z.string(),
      account: z.object({ owner: z.string(), data: z.tuple([z.string(), z.literal('base64')]) }),
    }),
  ),
).transform(({ context, value }) => ({
  slot: context.slot,
  /** False: some are in a form that cannot be read. */
  isWhole: !value.includes(undefined),
  accounts: value.flatMap((item): OwnedAccount[] => {
    if (item === undefined) return [];
    const { pubkey: address, account } = item;
    const { owner, data } = account;
    const token = readTokenAccount(owner, new Uint8Array(Buffer.from(data[0], 'base64')));
    return token === null ? [] : [{ address, ...token }];
  }),
}));

type Owned = z.output<typeof ownedSchema>;

/** Calls that read every token account of an owner, one for each token program. `readOwned` reads the results. */
export function ownedCalls(owner: string): RpcCall[] {
  return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((programId) => ownedCall(owner, { programId }));
}

/** The same for the accounts of one token. */
export function ownedOfMintCall(owner: string, mint: string): RpcCall {
  return ownedCall(owner, { mint });
}

/** Throws Blocked if one of them is in a form that cannot be read. */
export function readOwned(result: unknown): Owned {
  const owned = ownedSchema.parse(result);
  if (!owned.isWhole) throw new Blocked('the node lists a token account in a form that cannot be read');
  return owned;
}

/** The account of each mint with the highest amount. */
export function fullestByMint(accounts: readonly OwnedAccount[]): Map<string, OwnedAccount> {
  const fullest = new Map<string, OwnedAccount>();
  for (const account of accounts) {
    if (account.amount > (fullest.get(account.mint)?.amount ?? -1n)) fullest.set(account.mint, account);
  }
  return fullest;
}

function ownedCall(owner: string, filter: { readonly mint: string } | { readonly programId: string }): RpcCall {
  return {
    method: 'getTokenAccountsByOwner',
    params: [owner, filter, { encoding: 'base64', commitment: 'confirmed' }],
  };
}

const KEPT = 20_000;

/** The associated token account of a wallet and a mint. Computing one takes a millisecond, so those in use are kept. */
export class AssociatedAccounts {
  readonly #known = new Map<string, string>();

  of(wallet: string, token: TokenInfo): string {
    const compute = (): string => {
      const [mint, owner, program] = [publicKeyOf(token.mint), publicKeyOf(wallet), publicKeyOf(token.program)];
      return getAssociatedTokenAddressSync(mint, owner, true, program).toBase58();
    };
    return remembered(this.#known, `${wallet}:${token.mint}`, compute, KEPT);
  }
}
