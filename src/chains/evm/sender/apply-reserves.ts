import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { applyReserves as applyShared, SHORT } from '../../sender/apply-reserves.ts';
import type { EvmContext } from '../context.ts';
import { BatchFailed } from './simulate.ts';
import type { Refusal } from './sort.ts';

/** The charges that simulation would make, after the check of the reserves. */
export interface Divided {
  readonly paying: readonly ChargeDoc[];
  /** The allowance without the reserves is too small for these charges. They fail. */
  readonly refusals: readonly Refusal[];
  /** These charges wait: the charges in flight show, when they have landed, whether the allowance suffices. */
  readonly waiting: readonly ChargeDoc[];
}

/**
 * An allowance this large needs no reserve. Amounts have at most 30 digits before and 18 after the point, so the next charges
 * of all subscriptions together stay below it.
 */
const UNLIMITED = 2n ** 255n;

/**
 * The current allowances that these charges take from; one answer per charge, in their order. A charge from a deposit address
 * needs no allowance and gets `UNLIMITED`.
 * @throws NodeUnreachable; BatchFailed when a token gives no number
 */
export async function readAllowances(ctx: EvmContext, charges: readonly ChargeDoc[]): Promise<bigint[]> {
  try {
    const pulled = charges.filter(({ deposit }) => deposit === undefined);
    const states = await ctx.allowances.read(pulled.map((charge) => ctx.routers.allowanceOf(charge)));
    const allowances = new Map(pulled.map(({ _id }, index) => [_id, states[index]?.allowance ?? 0n]));
    return charges.map(({ _id }) => allowances.get(_id) ?? UNLIMITED);
  } catch (error) {
    if (error instanceof NodeUnreachable) throw error;
    throw new BatchFailed(`allowances cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Compares charges that simulation would make with the reserves of their payers' allowances. `known` has the allowances that
 * were read beside the simulation, by id of the charge.
 * @throws as `readAllowances`
 */
export async function applyReserves(
  ctx: EvmContext,
  charges: readonly ChargeDoc[],
  known: ReadonlyMap<string, bigint>,
): Promise<Divided> {
  const read = (limited: readonly ChargeDoc[]): Promise<bigint[]> => readAllowances(ctx, limited);
  const nameOf = (charge: ChargeDoc): string => ctx.routers.allowanceName(charge);
  const allowances = { known, unlimited: UNLIMITED, nameOf, read };
  const { paying, short, waiting } = await applyShared(ctx, charges, allowances);
  return { paying, refusals: short.map((charge) => ({ charge, why: SHORT, after: [] })), waiting };
}
