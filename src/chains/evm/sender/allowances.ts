import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import { NodeUnreachable } from '../../rpc.ts';
import type { Allowances, Simulated } from '../../sender/apply-reserves.ts';
import type { EvmContext } from '../context.ts';
import { BatchFailed } from './simulate.ts';

/**
 * An allowance this large needs no reserve. Amounts have at most 30 digits before and 18 after the point, so the next
 * charges of all subscriptions together stay below it.
 */
const UNLIMITED = 2n ** 255n;

/**
 * The current allowances that these charges take from; one answer per charge, in their order. A charge from a deposit
 * address needs no allowance and gets `UNLIMITED`.
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
 * The allowances for the check of the reserves. `known`: those that were read beside the simulation, by id of the
 * charge.
 */
export function allowancesOf(ctx: EvmContext, known: ReadonlyMap<string, bigint>): Allowances<Simulated> {
  return {
    known,
    unlimited: UNLIMITED,
    nameOf: (charge) => ctx.routers.allowanceName(charge),
    read: (simulated) =>
      readAllowances(
        ctx,
        simulated.map(({ charge }) => charge),
      ),
  };
}
