import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import { isRefund } from '../../charges.ts';
import { NodeRefused, NodeUnreachable, type RpcAnswer, resultOf } from '../../rpc.ts';
import { Blocked } from '../../troubles.ts';
import type { EvmContext } from '../context.ts';
import { decodeReason, type Reason } from '../contracts/reasons.ts';
import { decodeChargeMany } from '../contracts/router.ts';
import { routerCall } from '../router-charge.ts';
import { hexBytes, quantity, smallQuantity, toQuantity, type WireBlock } from '../wire.ts';
import type { GasGauge } from './gas-gauge.ts';

/** One charge of a simulated batch; `reason` null: it would be made. */
export interface Simulated {
  readonly charge: ChargeDoc;
  readonly reason: Reason | null;
}

/**
 * The most gas for a refund; one that needs more is refused. Anybody can make a token, and its contract may burn all gas that it
 * gets. A usual transfer takes less than a third of this, with the forwarder's creation.
 */
export const REFUND_GAS = 500_000n;

/** What the chain says before a transaction is made. */
export interface ChainReading {
  readonly simulated: readonly Simulated[];
  readonly batch: Batch;
  /** With so much gas the batch, and any part of it, was simulated; null: as much as it wanted. */
  readonly gas: bigint | null;
  readonly block: WireBlock;
  /** The node's answer to what tip is usual; null: it does not say. */
  readonly tip: unknown;
  /** Of the sender, in wei. */
  readonly balance: bigint;
  /** How many transactions of the sender are in blocks. */
  readonly minedCount: number;
}

/** The batch as a whole cannot be simulated: something in it makes the node or the router give up. */
export class BatchFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BatchFailed';
  }
}

/**
 * Asks in one request what `chargeMany` of all these, or the refund that it is, would do now, and what signing needs to know.
 * @throws Blocked when the router refuses the sender or is paused; BatchFailed when the batch itself is the problem;
 * NodeUnreachable
 */
export async function simulate(
  ctx: Pick<EvmContext, 'link'>,
  router: string,
  sender: string,
  charges: readonly ChargeDoc[],
  gauge: GasGauge,
): Promise<ChainReading> {
  const batch = encodeBatch(charges);
  const gas = charges.some(isRefund) ? null : gauge.guess(charges);
  const limited = charges.some(isRefund) ? REFUND_GAS : gas;
  const limit = limited === null ? {} : { gas: toQuantity(limited) };
  const [reasons, block, tip, balance, count] = await ctx.link.batch([
    { method: 'eth_call', params: [{ from: sender, to: router, data: batch.data, ...limit }, 'latest'] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_getBalance', params: [sender, 'latest'] },
    { method: 'eth_getTransactionCount', params: [sender, 'latest'] },
  ]);
  if (gas !== null && reasons?.ok === false && reasons.error instanceof NodeRefused) {
    // It may be for want of gas.
    gauge.forget();
    return simulate(ctx, router, sender, charges, gauge);
  }
  const outcomes = charges.some(isRefund)
    ? [refundOutcome(reasons, sender)]
    : decodeChargeMany(hexBytes.parse(routerResult(reasons, sender)));
  return {
    batch,
    gas,
    simulated: charges.map((charge, index) => ({ charge, reason: readReason(outcomes[index]) })),
    block: ctx.link.sawBlock(resultOf(block)),
    tip: tip?.ok === true ? tip.result : null,
    balance: quantity.parse(resultOf(balance)),
    minedCount: smallQuantity.parse(resultOf(count)),
  };
}

/** Charges with the call data of their `chargeMany`. */
export interface Batch {
  readonly charges: readonly ChargeDoc[];
  readonly data: string;
}

/**
 * Encodes a batch. `known` is one that these charges are from, in the same order: where none has been left out, its data
 * is taken.
 * @throws BatchFailed when a charge is not one that can be encoded
 */
export function encodeBatch(charges: readonly ChargeDoc[], known?: Batch): Batch {
  if (known && known.charges.length === charges.length) return { charges, data: known.data };
  try {
    return { charges, data: routerCall(charges) };
  } catch (error) {
    throw new BatchFailed(`the router's call cannot be encoded: ${messageOf(error)}`);
  }
}

/** The result of a call of the router by the sender; where it reverted as a whole, what that means for the signing queue. */
export function routerResult(answer: RpcAnswer | undefined, sender: string): unknown {
  if (answer === undefined || answer.ok) return resultOf(answer);
  const { error } = answer;
  if (error instanceof NodeUnreachable) throw error;
  throw meaningOf(error, sender);
}

/** As an entry of what `chargeMany` gives: `0x` where the refund would be made, else its revert data. */
function refundOutcome(answer: RpcAnswer | undefined, sender: string): string {
  if (answer?.ok !== false || !(answer.error instanceof NodeRefused)) {
    resultOf(answer);
    return '0x';
  }
  const { data } = answer.error;
  const { kind } = decodeReason(data ?? '0x');
  if (data === null || kind === 'unknown' || kind === 'paused' || kind === 'not_sender') routerResult(answer, sender);
  return data ?? '0x';
}

function meaningOf(error: NodeRefused, sender: string): Error {
  const reason = decodeReason(error.data ?? '0x');
  if (reason.kind === 'paused') return new Blocked('the router is paused by its owner');
  if (reason.kind === 'not_sender') return new Blocked(`the router does not let ${sender} charge`);
  return new BatchFailed(reason.kind === 'unknown' ? error.message : `the router refuses the batch: ${reason.kind}`);
}

function readReason(data: string | undefined): Reason | null {
  if (data === undefined) throw new BatchFailed('the router answered for fewer charges than it was asked for');
  return data === '0x' ? null : decodeReason(data);
}
