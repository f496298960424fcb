import { routerError } from './revert.ts';
import type { TokenCalls } from './token-calls.ts';

export interface MandatePull {
  readonly from: string;
  readonly to: readonly string[];
  readonly amounts: readonly bigint[];
}

/** `MandateOperator.sol`: moves each amount from the payer straight to its recipient, who must get all of it. */
export function pullShares(token: TokenCalls, operator: string, { from, to, amounts }: MandatePull): void {
  for (const [index, recipient] of to.entries()) {
    const amount = amounts[index] ?? 0n;
    if (amount === 0n) continue;
    const before = balanceOf(token, recipient);
    const pulled = token.pull(operator, { from, to: recipient, amount });
    if (!pulled.done) throw routerError('SharePullFailed', index, pulled.why);
    const balance = balanceOf(token, recipient);
    const arrived = balance > before ? balance - before : 0n;
    if (arrived !== amount) throw routerError('ArrivalMismatch', arrived, amount);
  }
}

/** @throws BalanceFailed if the token does not answer */
export function balanceOf(token: TokenCalls, account: string): bigint {
  const { balance, why } = token.balanceOf(account);
  if (balance === null) throw routerError('BalanceFailed', why);
  return balance;
}
