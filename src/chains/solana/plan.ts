import type { ChargeDoc, ChargeShare } from '../../store/collections.ts';
import { assetOf, isNativeCoin, NATIVE_COIN } from '../charges.ts';
import { NodeUnreachable, resultOf } from '../rpc.ts';
import { accountsQuestion, type CheckedTokens, readAccounts, type SolanaContext } from './context.ts';
import { fromBase58, toBase58 } from './keys.ts';
import { isTokenProgram, SYSTEM_PROGRAM } from './programs.ts';
import { fullestByMint, ownedOfMintCall, readMint, readOwned, type TokenInfo } from './token-account.ts';

type PlanContext = Pick<SolanaContext, 'link' | 'associated' | 'delegates'>;

export interface PlannedShare {
  readonly share: ChargeShare;
  readonly amount: bigint;
  /** The associated token account of its wallet; for lamports, the wallet itself. */
  readonly account: string;
}

/** Lamports, in place of a token. */
interface NativeCoin {
  readonly mint: typeof NATIVE_COIN.solana;
  readonly program: typeof SYSTEM_PROGRAM;
  readonly decimals: number;
}

const LAMPORTS: NativeCoin = { mint: NATIVE_COIN.solana, program: SYSTEM_PROGRAM, decimals: 9 };

/** A charge with its addresses on this chain. */
export interface Plan {
  readonly charge: ChargeDoc;
  readonly token: TokenInfo | NativeCoin;
  readonly gross: bigint;
  /** The payer's token account; for lamports, the payer's wallet. */
  readonly source: string;
  /** The merchant's delegate; for a deposit, its owner. */
  readonly operator: string;
  readonly shares: readonly PlannedShare[];
  /** Stands for the key, which does not tell it (`Delegates.reference`). Every transaction of the charge names it. */
  readonly reference: string;
}

/** The token that a charge moves, and the account that pays. */
type Source = Pick<Plan, 'token' | 'source'>;

/**
 * Plans a charge. Asks the chain only about tokens outside the catalog.
 * @throws NodeUnreachable; another Error when this chain cannot make the charge
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
    throw new Error(`the shares of charge ${charge._id} add up to ${sum}, expected ${gross}`);
  return {
    charge,
    token,
    gross,
    source,
    operator: ctx.delegates.mover(charge).address,
    shares: shares.filter(({ amount }) => amount > 0n),
    reference: referenceOf(ctx, charge.key),
  };
}

/** As `planOf`, but null for a charge that this chain cannot make now. @throws NodeUnreachable */
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
  if (!token) throw new Error(`charge ${charge._id} is in token ${charge.token}, which is not enabled`);
  return { token, source: ctx.associated.of(charge.from, token) };
}

/** For a token that only its balance showed: the fullest account, without a catalog token's associated one. */
async function otherSource(ctx: PlanContext, tokens: CheckedTokens, charge: ChargeDoc): Promise<Source> {
  const mint = assetOf(charge);
  const question = accountsQuestion([mint], [ownedOfMintCall(charge.from, mint)]);
  const [owned, ...read] = (await ctx.link.sized(question)).answers;
  const account = readAccounts([mint], read, ctx.link).of.get(mint) ?? null;
  const found = account && readMint(account.owner, account.data);
  if (!found || !isTokenProgram(account.owner))
    throw new Error(`charge ${charge._id} is in token ${mint}, which is no mint`);
  const token: TokenInfo = { mint, program: account.owner, decimals: found.decimals };
  const associated = ctx.associated.of(charge.from, token);
  const others = readOwned(resultOf(owned)).accounts.filter(
    ({ address }) => !tokens.has(mint) || address !== associated,
  );
  return { token, source: fullestByMint(others).get(mint)?.address ?? associated };
}

/** The address that every transaction of a charge names. */
export function referenceOf({ delegates }: Pick<SolanaContext, 'delegates'>, key: string): string {
  return delegates.reference(`charge:${key}`);
}

/** An address in its own spelling. Null: the text is no address, or the address of all zeros, which nobody can own. */
export function parseSolanaAddress(text: string): string | null {
  if (text.length < 32 || text.length > 44) return null;
  const bytes = fromBase58(text);
  if (bytes?.length !== 32 || bytes.every((byte) => byte === 0)) return null;
  return toBase58(bytes);
}
