import { parseUnits } from 'ethers';
import { money } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import { firstCharge } from './charges.ts';
import type { Plan, Subscribed } from './plan.ts';

/** What a careful payer approves at once: a year. */
const CYCLES_APPROVED = 12n;

/** The payer approves the merchant's operator on the chain; the first charge follows by itself. */
export async function authorize(stage: Stage, subscribed: Subscribed): Promise<void> {
  await approveYear(stage, subscribed.plan, { at: new Date().toISOString(), what: 'Ada approves' });
  await firstCharge(stage, subscribed);
}

/** Shown as `what` 12 cycles. */
export async function approveYear(
  { shop, payer, timeline }: Stage,
  plan: Plan,
  { at, what }: { readonly at: string; readonly what: string },
): Promise<void> {
  const { token, operator } = shop;
  const allowance = parseUnits(plan.price, token.decimals) * CYCLES_APPROVED;
  const txHash = await payer.approve(token.address, operator, allowance);
  timeline.add({ at, what: `${what} ${CYCLES_APPROVED} cycles`, amount: money(allowance, token), txHash });
}
