import type { AllowanceRead, AllowanceState } from '../port.ts';
import type { SolanaContext } from './context.ts';
import { purseOf } from './purse.ts';

/**
 * One answer per read, in its order: what the operator may still pull from the wallet's associated account, and what is in
 * it; as of the slot of the oldest answer, where it takes several calls.
 * @throws NodeUnreachable, Blocked; Error when a token is not one of this chain
 */
export async function readAllowances(ctx: SolanaContext, reads: readonly AllowanceRead[]): Promise<AllowanceState[]> {
  const tokens = await ctx.link.ready();
  const places = reads.map(({ token: mint, wallet }) => {
    const token = tokens.get(mint);
    if (!token) throw new Error(`Token ${mint} is not enabled on chain ${ctx.chainId}`);
    return ctx.associated.of(wallet, token);
  });
  const { of, slot: block } = await ctx.link.accounts([...new Set(places)]);
  return reads.map(({ token, operator }, index) => {
    return { ...purseOf(of.get(places[index] ?? '') ?? null, token, operator), block };
  });
}
