import type { AllowanceRead, AllowanceState } from '../port.ts';
import type { SolanaContext } from './context.ts';
import { allowanceIn } from './payer-allowance.ts';

/**
 * One answer per read, in its order: the operator's allowance in the wallet's associated account, and the account's
 * balance. If the read takes several calls, `block` is the slot of the oldest answer. Null: the mint is refused.
 * @throws NodeUnreachable, Blocked
 */
export async function readAllowances(
  ctx: SolanaContext,
  reads: readonly AllowanceRead[],
): Promise<(AllowanceState | null)[]> {
  const tokens = await ctx.link.ready();
  const accounts = reads.map(({ token: mint, wallet }) => {
    const token = tokens.get(mint);
    return token ? ctx.associated.of(wallet, token) : null;
  });
  const asked = new Set(accounts.filter((account) => account !== null));
  const { of, slot: block } = await ctx.link.accounts([...asked]);
  return reads.map(({ token, operator }, index) => {
    const account = accounts[index] ?? null;
    return account === null ? null : { ...allowanceIn(of.get(account) ?? null, token, operator), block };
  });
}
