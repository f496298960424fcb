import type { Mint } from '@solana/spl-token';
import { type AccountInfo, PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import type { CatalogToken } from '../catalog.ts';
import { Blocked } from '../context.ts';
import { listOf } from '../list-of.ts';
import { remembered } from '../remembered.ts';
import type { RpcCall } from '../rpc.ts';
import { toBase58 } from './keys.ts';
import { isTokenProgram, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, type TokenProgram } from './programs.ts';
import { publicKeyOf } from './public-keys.ts';
import { splToken } from './spl-token.ts';
import { inContext, type WireAccount } from './wire.ts';

const { ExtensionType } = splToken;

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
      return splToken.getAssociatedTokenAddressSync(mint, owner, true, program).toBase58();
    };
    return remembered(this.#known, `${wallet}:${token.mint}`, compute, KEPT);
  }
}

/** A token whose mint agrees with the catalog. */
export interface TokenInfo {
  readonly mint: string;
  readonly program: TokenProgram;
  readonly decimals: number;
}

/** An account; null: it does not exist. */
type AccountData = Pick<NonNullable<WireAccount>, 'owner' | 'data'> | null;

export type MintCheck = { readonly ok: true; readonly token: TokenInfo } | { readonly ok: false; readonly why: string };

/**
 * Checks that a mint is the token of the catalog, and that its charges are exact and stay paid. With a fee, less
 * arrives than was pulled. A hook, a pause or frozen accounts let others stop charges. A permanent delegate can take
 * paid money back. Confidential balances cannot be read. Such a mint is refused, and the answer names the reason.
 */
export function checkMint({ key, address, decimals }: CatalogToken, account: AccountData): MintCheck {
  const refuse = (why: string): MintCheck => ({ ok: false, why: `${key} is not enabled: ${why}` });
  if (account === null) return refuse(`there is no mint ${address}`);
  const program = account.owner;
  if (!isTokenProgram(program)) return refuse(`${address} belongs to ${program}, which is no token program`);
  const mint = unpack(address, account);
  if (mint === null) return refuse(`${address} is no mint`);
  if (mint.decimals !== decimals) return refuse(`its mint says ${mint.decimals} decimals, expected ${decimals}`);
  const obstacle = obstacleOf(mint);
  return obstacle === null ? { ok: true, token: { mint: address, program, decimals } } : refuse(`its mint ${obstacle}`);
}

/** The extension that makes charges in a mint unsafe, as a clause for people. Null: there is none. */
function obstacleOf(mint: Mint): string | null {
  if (splToken.getTransferFeeConfig(mint) !== null) return 'takes a fee of transfers';
  if (splToken.getNonTransferable(mint) !== null) return 'forbids transfers';
  const hook = held(splToken.getTransferHook(mint)?.programId);
  if (hook !== null) return `lets ${hook} decide over transfers`;
  const delegate = held(splToken.getPermanentDelegate(mint)?.delegate);
  if (delegate !== null) return `has a permanent delegate, ${delegate}, who can take what was paid`;
  const pausable = splToken.getPausableConfig(mint);
  if (pausable !== null && (pausable.paused || held(pausable.authority) !== null)) return 'can be paused';
  if (splToken.getDefaultAccountState(mint)?.state === splToken.AccountState.Frozen) return 'freezes every new account';
  const types = splToken.getExtensionTypes(mint.tlvData);
  if (types.some((type) => CONFIDENTIAL.has(type))) return 'has confidential balances';
  const unknown = types.find((type) => !HARMLESS.has(type));
  return unknown === undefined ? null : `has an extension that this version does not know, of type ${unknown}`;
}

/** Types that the program knows, but the library has no names for. */
const CONFIDENTIAL_TRANSFER_FEE: number = 16;
const CONFIDENTIAL_MINT_BURN: number = 24;

const CONFIDENTIAL: ReadonlySet<number> = new Set([
  ExtensionType.ConfidentialTransferMint,
  CONFIDENTIAL_TRANSFER_FEE,
  CONFIDENTIAL_MINT_BURN,
]);

/** Extensions that change no transfer, or that are checked above. */
const HARMLESS: ReadonlySet<number> = new Set([
  ExtensionType.MintCloseAuthority,
  ExtensionType.InterestBearingConfig,
  ExtensionType.ScaledUiAmountConfig,
  ExtensionType.MetadataPointer,
  ExtensionType.TokenMetadata,
  ExtensionType.GroupPointer,
  ExtensionType.TokenGroup,
  ExtensionType.GroupMemberPointer,
  ExtensionType.TokenGroupMember,
  ExtensionType.PermissionedBurn,
  ExtensionType.TransferHook,
  ExtensionType.PermanentDelegate,
  ExtensionType.PausableConfig,
  ExtensionType.DefaultAccountState,
]);

/** The address of all zeros means that there is none. */
function held(address: PublicKey | null | undefined): string | null {
  return address == null || address.equals(PublicKey.default) ? null : address.toBase58();
}

function unpack(address: string, { owner, data }: NonNullable<AccountData>) {
  const programId = new PublicKey(owner);
  const info: AccountInfo<Buffer> = { owner: programId, data: Buffer.from(data), executable: false, lamports: 0 };
  try {
    return splToken.unpackMint(new PublicKey(address), info, programId);
  } catch {
    return null;
  }
}
