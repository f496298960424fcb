import type { ChargeDoc } from '../../store/collections.ts';
import { SHARE_REASON } from '../charges.ts';
import type { AllowanceRead, AllowanceState, RefusalFact } from '../port.ts';
import type { Accounts, SolanaContext } from './context.ts';
import type { Plan } from './plan.ts';
import { SYSTEM_PROGRAM } from './programs.ts';
import { tokenIn } from './token-account.ts';
import { paysRent, withoutAccount } from './unpayable.ts';
import type { WireAccount } from './wire.ts';

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
  const { of, unread, slot: block } = await ctx.link.accounts([...asked]);
  return reads.map(({ token, operator }, index) => {
    const account = accounts[index] ?? null;
    return account === null || unread.has(account)
      ? null
      : { ...allowanceIn(of.get(account) ?? null, token, operator), block };
  });
}

/** More than any account can hold: the owner of an account needs no allowance. */
const MOST = 2n ** 64n;

/** The allowance of `operator` in an account, and its balance. A missing account has and allows nothing. */
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

/** For staff, beside the reason: a lost delegate shows as an allowance of 0, a missing account as undeliverable. */
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
