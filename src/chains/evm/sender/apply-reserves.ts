import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import type { AllowanceRead } from '../../port.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { applyReserves as applyShared, SHORT } from '../../sender/apply-reserves.ts';
import type { EvmContext } from '../context.ts';
import { operatorAddress } from '../contracts/router.ts';
import { BatchFailed } from './simulate.ts';
import type { Refusal } from './sort.ts';

/** What is to become of charges that simulation would make. */
export interface Divided {
  readonly paying: readonly ChargeDoc[];
  /** The allowance without the reserves is too small for these charges. They fail. */
  readonly refusals: readonly Refusal[];
  /** Whether it suffices shows when what is in flight has landed. */
  readonly waiting: readonly ChargeDoc[];
}

/**
 * An allowance that no reserve needs: amounts have at most 30 digits before and 18 after the point, and the next charges
 * of no number of subscriptions add up to this.
 */
const UNLIMITED = 2n ** 255n;

/**
 * The allowances that these charges take from, as they are now; one answer per charge, in their order. What is taken from
 * a deposit address needs none.
 * @throws NodeUnreachable; BatchFailed when a token does not say
 */
export async function readAllowances(
  ctx: EvmContext,
  router: string,
  charges: readonly ChargeDoc[],
): Promise<bigint[]> {
  try {
    const pulled = charges.filter(({ deposit }) => deposit === undefined);
    const states = await ctx.allowances.read(pulled.map((charge): AllowanceRead => readOf(router, charge)));
    const allowances = new Map(pulled.map(({ _id }, index) => [_id, states[index]?.allowance ?? 0n]));
    return charges.map(({ _id }) => allowances.get(_id) ?? UNLIMITED);
  } catch (error) {
    if (error instanceof NodeUnreachable) throw error;
    throw new BatchFailed(`allowances cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Holds charges that simulation would make against what has to be left of their payers' allowances; `known` are allowances
 * as they were read beside it.
 * @throws as `readAllowances`
 */
export async function applyReserves(
  ctx: EvmContext,
  router: string,
  charges: readonly ChargeDoc[],
  known: ReadonlyMap<string, bigint>,
): Promise<Divided> {
  const read = (limited: readonly ChargeDoc[]): Promise<bigint[]> => readAllowances(ctx, router, limited);
  const { paying, short, waiting } = await applyShared(ctx, charges, { known, unlimited: UNLIMITED, read });
  return { paying, refusals: short.map((charge) => ({ charge, why: SHORT, after: [] })), waiting };
}

function readOf(router: string, { token, from: wallet, merchantId, mode }: ChargeDoc): AllowanceRead {
  return { token, wallet, operator: operatorAddress(router, merchantId, mode) };
}
