import type { ChargeDoc, ChargeShare } from '../../store/collections.ts';
import { assetOf, isNativeCoin, NATIVE_COIN } from '../charges.ts';
import { NodeUnreachable, resultOf } from '../rpc.ts';
import { fromBase58, toBase58 } from './base58.ts';
import type { SolanaContext } from './context.ts';
import { accountsQuestion, type CheckedTokens, readAccounts } from './link.ts';
import type { TokenInfo } from './mints.ts';
import { fullestByMint, ownedOfMintCall, readOwned } from './owned.ts';
import { isTokenProgram, SYSTEM_PROGRAM } from './programs.ts';
import { readMint } from './token-account.ts';

type PlanContext = Pick<SolanaContext, 'link' | 'associated' | 'delegates'>;

/** Where one share goes. */
export interface PlannedShare {
  readonly share: ChargeShare;
  readonly amount: bigint;
  /** The token account that belongs to its wallet; of lamports, the wallet itself. */
  readonly account: string;
}

/** Lamports, where a token would be. */
export interface NativeCoin {
  readonly mint: typeof NATIVE_COIN.solana;
  readonly program: typeof SYSTEM_PROGRAM;
  readonly decimals: number;
}

const LAMPORTS: NativeCoin = { mint: NATIVE_COIN.solana, program: SYSTEM_PROGRAM, decimals: 9 };

/** A charge with the addresses that it has on this chain. */
export interface Plan {
  readonly charge: ChargeDoc;
  readonly token: TokenInfo | NativeCoin;
  readonly gross: bigint;
  /** The payer's token account; of lamports, the payer's own. */
  readonly source: string;
  /** The merchant's delegate; of a deposit, its owner. */
  readonly operator: string;
  readonly shares: readonly PlannedShare[];
  /** An address that is the charge's key, and nobody's: every transaction of the charge names it, and so is found by it. */
  readonly reference: string;
}

/** The token that a charge moves, and the account that pays. */
type Source = Pick<Plan, 'token' | 'source'>;

/**
 * Asks the chain only about tokens outside of the catalog.
 * @throws NodeUnreachable; another Error when the charge is not one that this chain can make
 */
export async function planOf(ctx: PlanContext, tokens: CheckedTokens, charge: ChargeDoc): Promise<Plan> {
  const { token, source } = await sourceOf(ctx, tokens, charge);
  const shares = charge.shares.map((share) => {
    const account = token.program === SYSTEM_PROGRAM ? share.to : ctx.associated.of(share.to, token);
    return { share, amount: BigInt(share.amount), account };
  });
  const gross = BigInt(charge.gross);
  const sum = shares.reduce((total, { amount }) => total + amount, 0n);
  if (sum !== gross || gross === 0n)
    throw new Error(`the shares of charge ${charge._id} are ${sum}, expected ${gross}`);
  return {
    charge,
    token,
    gross,
    source,
    operator: ctx.delegates.mover(charge).address,
    shares: shares.filter(({ amount }) => amount > 0n),
    reference: referenceOf(charge.key),
  };
}

/** The same, and null for a charge that this chain cannot make now. @throws NodeUnreachable */
export async function planIn(ctx: PlanContext, tokens: CheckedTokens, charge: ChargeDoc): Promise<Plan | null> {
  try {
    return await planOf(ctx, tokens, charge);
  } catch (error) {
    if (error instanceof NodeUnreachable) throw error;
    return null;
  }
}

async function sourceOf(ctx: PlanContext, tokens: CheckedTokens, charge: ChargeDoc): Promise<Source> {
  const asset = charge.deposit?.asset;
  if (asset !== undefined)
    return isNativeCoin(asset) ? { token: LAMPORTS, source: charge.from } : otherSource(ctx, tokens, charge);
  const token = tokens.get(charge.token);
  if (!token) throw new Error(`charge ${charge._id} is of ${charge.token}, which is not enabled`);
  return { token, source: ctx.associated.of(charge.from, token) };
}

/** The fullest account of a token that was seen by its balance alone; of a token of the catalog, not the associated one. */
async function otherSource(ctx: PlanContext, tokens: CheckedTokens, charge: ChargeDoc): Promise<Source> {
  const mint = assetOf(charge);
  const question = accountsQuestion([mint], [ownedOfMintCall(charge.from, mint)]);
  const [owned, ...read] = (await ctx.link.sized(question)).answers;
  const account = readAccounts([mint], read).of.get(mint) ?? null;
  const found = account && readMint(account.owner, account.data);
  if (!found || !isTokenProgram(account.owner)) throw new Error(`charge ${charge._id} is of ${mint}, which is no mint`);
  const token: TokenInfo = { mint, program: account.owner, decimals: found.decimals };
  const associated = ctx.associated.of(charge.from, token);
  const others = readOwned(resultOf(owned)).accounts.filter(
    ({ address }) => !tokens.has(mint) || address !== associated,
  );
  return { token, source: fullestByMint(others).get(mint)?.address ?? associated };
}

/** The 32 bytes of a charge's key as an address. */
export function referenceOf(key: string): string {
  const bytes = Buffer.from(key.replace(/^0x/, ''), 'hex');
  if (bytes.length !== 32) throw new Error(`${key} is no charge key: expected 32 bytes in hex`);
  return toBase58(bytes);
}

/** An address in its own spelling; null for what is none, and for the address of all zeros, which nobody can own. */
export function parseSolanaAddress(text: string): string | null {
  if (text.length < 32 || text.length > 44) return null;
  const bytes = fromBase58(text);
  if (bytes?.length !== 32 || bytes.every((byte) => byte === 0)) return null;
  return toBase58(bytes);
}
