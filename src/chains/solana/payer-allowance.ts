import type { ChargeDoc } from '../../store/collections.ts';
import { SHARE_REASON } from '../charges.ts';
import type { AllowanceState, RefusalFact } from '../port.ts';
import type { Accounts } from './link.ts';
import type { Plan } from './plan.ts';
import { SYSTEM_PROGRAM } from './programs.ts';
import { paysRent, withoutAccount } from './rent.ts';
import { tokenIn } from './token-account.ts';
import type { WireAccount } from './wire.ts';

/** More than any account can hold: the owner of an account needs no allowance. */
const MOST = 2n ** 64n;

/**
 * The allowance of `operator` in an account, and its balance. An account that does not exist has nothing and allows
 * nothing.
 */
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

/**
 * A note for staff beside the reason: a lost delegate shows as an allowance of 0, and a missing account as
 * undeliverable.
 */
export function noteOn({ reason }: RefusalFact, plan: Plan, accounts: Accounts): Pick<ChargeDoc, 'note' | 'refusal'> {
  if (reason === 'insufficient_allowance')
    return payerAllowance(plan, accounts).hasOtherDelegate ? { note: 'delegate_replaced' } : {};
  const { charge, shares, token } = plan;
  const lacking = shares.find(({ share, account }) => {
    const isHere = SHARE_REASON[share.role] === reason && !paysRent(charge, share);
    return isHere && token.program !== SYSTEM_PROGRAM && tokenIn(accounts.of.get(account) ?? null, token.mint) === null;
  });
  if (lacking === undefined) return {};
  return { refusal: { kind: 'no_account', text: `${lacking.share.to} is a wallet ${withoutAccount(token.mint)}` } };
}
