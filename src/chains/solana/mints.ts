import { type AccountInfo, PublicKey } from '@solana/web3.js';
import type { CatalogToken } from '../catalog.ts';
import { isTokenProgram, type TokenProgram } from './programs.ts';
import { getNonTransferable, getTransferFeeConfig, getTransferHook, unpackMint } from './spl-token.ts';
import type { WireAccount } from './wire.ts';

/** A token whose mint says what the catalog says. */
export interface TokenInfo {
  readonly mint: string;
  readonly program: TokenProgram;
  readonly decimals: number;
}

export type MintCheck = { readonly ok: true; readonly token: TokenInfo } | { readonly ok: false; readonly why: string };

/**
 * Whether a mint is the token of the catalog, and one that can be charged exactly: with a transfer fee less arrives than
 * was pulled, and a transfer hook is another's program with a word in every charge, so those are refused.
 */
export function checkMint({ key, address, decimals }: CatalogToken, account: WireAccount): MintCheck {
  const refuse = (why: string): MintCheck => ({ ok: false, why: `${key} is not enabled: ${why}` });
  if (account === null) return refuse(`there is no mint ${address}`);
  const program = account.owner;
  if (!isTokenProgram(program)) return refuse(`${address} is of ${program}, which is no token program`);
  const mint = unpack(address, account);
  if (mint === null) return refuse(`${address} is no mint`);
  if (mint.decimals !== decimals) return refuse(`its mint says ${mint.decimals} decimals, expected ${decimals}`);
  if (getTransferFeeConfig(mint) !== null) return refuse('its mint takes a fee of transfers');
  if (getNonTransferable(mint) !== null) return refuse('its mint forbids transfers');
  const hook = getTransferHook(mint);
  if (hook !== null && !hook.programId.equals(PublicKey.default)) {
    return refuse(`its mint lets ${hook.programId.toBase58()} decide over transfers`);
  }
  return { ok: true, token: { mint: address, program, decimals } };
}

function unpack(address: string, { owner, data }: NonNullable<WireAccount>) {
  const programId = new PublicKey(owner);
  const info: AccountInfo<Buffer> = { owner: programId, data: Buffer.from(data), executable: false, lamports: 0 };
  try {
    return unpackMint(new PublicKey(address), info, programId);
  } catch {
    return null;
  }
}
