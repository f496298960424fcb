import { parseUnits } from 'ethers';
import { money } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import { expectConfirmed, firstCharge } from './charges.ts';
import type { Plan, Subscribed } from './plan.ts';

/** The cycles that a careful payer approves at once: a year. */
const CYCLES_APPROVED = 12n;

/** The payer approves the merchant's operator on the chain; the first charge follows by itself. */
export async function authorize(stage: Stage, subscribed: Subscribed): Promise<void> {
  await approveYear(stage, subscribed.plan, { at: new Date().toISOString(), what: 'Ada approves' });
  await firstCharge(stage, subscribed);
  await expectConfirmed(stage, subscribed);
}

interface Approval {
  readonly at: string;
  readonly what: string;
}

/** Shown as `what` with 12 cycles. */
export function approveYear(stage: Stage, plan: Plan, approval: Approval): Promise<void> {
  return approveCycles(stage, plan, CYCLES_APPROVED, approval);
}

/** Shown as `what` with the number of cycles. It replaces an earlier approval. */
export async function approveCycles(
  { shop, payer, timeline }: Stage,
  plan: Plan,
  cycles: bigint,
  { at, what }: Approval,
): Promise<void> {
  const { token, operator } = shop;
  const allowance = parseUnits(plan.price, token.decimals) * cycles;
  const txHash = await payer.approve(token.address, operator, allowance);
  const term = cycles === 1n ? '1 cycle' : `${cycles} cycles`;
  timeline.add({ at, what: `${what} ${term}`, amount: money(allowance, token), txHash });
}
