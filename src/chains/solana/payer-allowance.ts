import type { ChargeDoc } from '../../store/collections.ts';
import type { AllowanceState } from '../port.ts';
import type { Accounts } from './link.ts';
import type { Plan } from './plan.ts';
import { SYSTEM_PROGRAM } from './programs.ts';
import { readTokenAccount, type TokenAccount } from './token-account.ts';
import type { WireAccount } from './wire.ts';

/** More than any account can hold: the owner of an account needs no allowance. */
const MOST = 2n ** 64n;

/** The allowance of `operator` in an account, and its balance. An account that does not exist has nothing and allows nothing. */
export function allowanceIn(account: WireAccount, mint: string, operator: string): AllowanceState {
  const token = tokenIn(account, mint);
  if (token === null) return { allowance: 0n, balance: 0n };
  const { amount: balance, delegate, delegatedAmount } = token;
  if (token.owner === operator) return { allowance: MOST, balance };
  if (delegate === operator) return { allowance: delegatedAmount, balance };
  return { allowance: 0n, balance, ...(delegate === null ? {} : { hasOtherDelegate: true }) };
}

/** The same for the payer of a charge. */
export function payerAllowance({ source, token, operator }: Plan, { of }: Accounts): AllowanceState {
  const account = of.get(source) ?? null;
  if (token.program === SYSTEM_PROGRAM) return { allowance: MOST, balance: account?.lamports ?? 0n };
  return allowanceIn(account, token.mint, operator);
}

/** A note for staff beside the reason: a lost delegate shows as an allowance of 0. */
export function noteOn(reason: string, state: AllowanceState): Pick<ChargeDoc, 'note'> {
  return reason === 'insufficient_allowance' && state.hasOtherDelegate ? { note: 'delegate_replaced' } : {};
}

/** The token account of this mint. Null: it is none. */
export function tokenIn(account: WireAccount, mint: string): TokenAccount | null {
  const token = account && readTokenAccount(account.owner, account.data);
  return token?.mint === mint ? token : null;
}
