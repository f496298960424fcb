import type { Mint } from '@solana/spl-token';
import { type AccountInfo, PublicKey } from '@solana/web3.js';
import type { CatalogToken } from '../catalog.ts';
import { isTokenProgram, type TokenProgram } from './programs.ts';
import {
  AccountState,
  ExtensionType,
  getDefaultAccountState,
  getExtensionTypes,
  getNonTransferable,
  getPausableConfig,
  getPermanentDelegate,
  getTransferFeeConfig,
  getTransferHook,
  unpackMint,
} from './spl-token.ts';
import type { WireAccount } from './wire.ts';

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
 * Checks that a mint is the token of the catalog, and that its charges are exact and stay paid. With a transfer fee,
 * less arrives than was pulled. A hook, a pause or frozen accounts let somebody else stop any charge. A permanent
 * delegate can take paid money back. Confidential balances cannot be read. Such a mint is refused, and the answer names
 * the reason.
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
  if (getTransferFeeConfig(mint) !== null) return 'takes a fee of transfers';
  if (getNonTransferable(mint) !== null) return 'forbids transfers';
  const hook = held(getTransferHook(mint)?.programId);
  if (hook !== null) return `lets ${hook} decide over transfers`;
  const delegate = held(getPermanentDelegate(mint)?.delegate);
  if (delegate !== null) return `has a permanent delegate, ${delegate}, who can take what was paid`;
  const pausable = getPausableConfig(mint);
  if (pausable !== null && (pausable.paused || held(pausable.authority) !== null)) return 'can be paused';
  if (getDefaultAccountState(mint)?.state === AccountState.Frozen) return 'freezes every new account';
  const types = getExtensionTypes(mint.tlvData);
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
    return unpackMint(new PublicKey(address), info, programId);
  } catch {
    return null;
  }
}
