import type { ChargeDoc } from '../../../store/collections.ts';
import { isRefund } from '../../charges.ts';
import type { RpcAnswer } from '../../rpc.ts';
import { postpone } from '../../sender/postpone.ts';
import { allowanceCall, readAmount } from '../allowances.ts';
import type { EvmContext } from '../context.ts';
import { decodeChargeMany } from '../contracts/router.ts';
import { hexBytes } from '../wire.ts';
import type { Batch } from './simulate.ts';
import type { Refusal } from './sort.ts';

/** One node's answers about a batch, and the refusals that follow from them. */
export interface Found {
  readonly router: string;
  readonly sender: string;
  readonly batch: Batch;
  /** Refused by the simulation of the batch. */
  readonly simulated: readonly Refusal[];
  /** Refused because the charge would leave too little of the allowance. */
  readonly divided: readonly Refusal[];
  /** The allowances of the batch, by id of the charge. */
  readonly allowances: ReadonlyMap<string, bigint>;
}

/**
 * The refusals that no up-to-date node disputes. A node disputes a refusal if it would make the charge, or if it knows
 * of a greater allowance. Disputed charges wait, and are checked again (docs/adr/nodes.md).
 * @throws NodeUnreachable
 */
export async function undisputed(
  ctx: EvmContext,
  found: Found,
): Promise<{ readonly simulated: readonly Refusal[]; readonly divided: readonly Refusal[] }> {
  const { router, sender, batch, simulated, divided } = found;
  if (ctx.link.isAlone || simulated.length + divided.length === 0) return { simulated, divided };
  const calls = [
    { from: sender, to: router, data: batch.data },
    ...divided.map(({ charge }) => allowanceCall(ctx.routers.allowanceOf(charge))),
  ];
  const nodes = await ctx.link.upToDate(calls.map((call) => ({ method: 'eth_call', params: [call, 'latest'] })));
  const disputed = new Set(nodes.flatMap(({ answers }) => disputedBy(answers, found)));
  if (disputed.size > 0) {
    const charges = [...disputed].map(({ _id }) => _id);
    ctx.log.warn(
      { chainId: ctx.chainId, charges },
      'nodes disagree whether these charges would be made; the charges wait',
    );
    await postpone(ctx, [...disputed], ctx.timing.postponeMs);
  }
  const isHeld = ({ charge }: Refusal): boolean => !disputed.has(charge);
  return { simulated: simulated.filter(isHeld), divided: divided.filter(isHeld) };
}

/** The charges whose refusal one node disputes. */
function disputedBy([simulation, ...allowances]: readonly RpcAnswer[], found: Found): ChargeDoc[] {
  const { batch, simulated, divided } = found;
  const reasons = reasonsIn(simulation, batch);
  const made = simulated.filter(({ charge }) => reasons[batch.charges.indexOf(charge)] === '0x');
  const greater = divided.filter(
    ({ charge }, index) => (readAmount(allowances[index]) ?? 0n) > (found.allowances.get(charge._id) ?? 0n),
  );
  return [...made, ...greater].map(({ charge }) => charge);
}

/**
 * The outcomes of a simulation; none if the node gave no answer. The call of a refund returns nothing, and reverts if
 * the refund is refused.
 */
function reasonsIn(answer: RpcAnswer | undefined, { charges }: Batch): readonly string[] {
  if (answer?.ok !== true) return [];
  if (charges.some(isRefund)) return ['0x'];
  try {
    return decodeChargeMany(hexBytes.parse(answer.result));
  } catch {
    return [];
  }
}
