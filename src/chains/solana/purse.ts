import type { AllowanceState } from '../port.ts';
import { readTokenAccount, type TokenAccount } from './token-account.ts';
import type { WireAccount } from './wire.ts';

/** Its owner needs no allowance: more than any account can hold. */
const MOST = 2n ** 64n;

/** What `operator` may pull from an account, and what is in it. An account that is not there has nothing and allows nothing. */
export function purseOf(account: WireAccount, mint: string, operator: string): AllowanceState {
  const token = tokenIn(account, mint);
  if (token === null) return { allowance: 0n, balance: 0n };
  if (token.owner === operator) return { allowance: MOST, balance: token.amount };
  return { allowance: token.delegate === operator ? token.delegatedAmount : 0n, balance: token.amount };
}

/** The token account of this mint; null when it is none. */
export function tokenIn(account: WireAccount, mint: string): TokenAccount | null {
  const token = account && readTokenAccount(account.owner, account.data);
  return token?.mint === mint ? token : null;
}
