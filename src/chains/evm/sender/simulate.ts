import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import { isRefund } from '../../charges.ts';
import { Blocked } from '../../context.ts';
import type { MandatesById } from '../../mandate-reader.ts';
import { NodeRefused, NodeUnreachable, type RpcAnswer, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { decodeReason, type Reason } from '../contracts/reasons.ts';
import { decodeChargeMany } from '../contracts/router.ts';
import { feesOf, type SenderState, senderQuestions, senderState } from '../fees.ts';
import { inRouterOrder, routerCall } from '../router-charge.ts';
import { hexBytes, toQuantity } from '../wire.ts';
import { type GasGauge, type GasOf, haveReverted } from './gas-gauge.ts';

/** One charge of a simulated batch. `reason` null: it would be made. */
interface Simulated {
  readonly charge: ChargeDoc;
  readonly reason: Reason | null;
}

/**
 * The most gas for a refund; a refund that needs more is refused. Anybody can make a token, and its contract may burn
 * all gas that it gets. A usual transfer, with the creation of the forwarder, needs less than a third of this.
 */
export const REFUND_GAS = 500_000n;

/** The simulation of a batch, and the state of the chain that signing needs. */
export interface ChainReading extends SenderState {
  readonly simulated: readonly Simulated[];
  readonly batch: Batch;
  readonly call: { readonly from: string };
  /** The gas limit of the simulation, which suffices for the batch and any part of it; null: it had no limit. */
  readonly gas: bigint | null;
}

/** The router makes nothing for this sender: it is paused, or does not accept the sender. */
export class RouterRefuses extends Blocked {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'RouterRefuses';
  }
}

/** The batch as a whole cannot be simulated: something in it makes the node or the router give up. */
export class BatchFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BatchFailed';
  }
}

/**
 * Simulates the call of a batch, and reads the values that signing needs, in one request.
 * @throws RouterRefuses when the router refuses the sender or is paused; BatchFailed when the batch itself is the
 * problem; NodeUnreachable
 */
export async function simulate(
  ctx: Pick<EvmContext, 'link'>,
  router: string,
  sender: string,
  batch: Batch,
  gauge: GasGauge,
): Promise<ChainReading> {
  const { charges } = batch;
  const gas = charges.some(isRefund) ? null : gauge.guess(batch);
  const limited = charges.some(isRefund) ? REFUND_GAS : gas;
  const price = gas === null ? {} : await priceFor(ctx, sender, gas, batch);
  const limit = limited === null ? {} : { gas: toQuantity(limited), ...price };
  const call = { from: sender, to: router, data: batch.data, ...limit };
  const [reasons, ...state] = await ctx.link.batch([
    { method: 'eth_call', params: [call, 'latest'] },
    ...senderQuestions(sender),
  ]);
  if (gas !== null && !batch.asksWallets && reasons?.ok === false && reasons.error instanceof NodeRefused) {
    // The guess may have been too little gas.
    gauge.fellShort(charges);
    return simulate(ctx, router, sender, batch, gauge);
  }
  const outcomes = outcomesIn(reasons, call, charges);
  return {
    batch,
    call,
    gas,
    simulated: charges.map((charge, index) => ({ charge, reason: readReason(outcomes[index]) })),
    ...senderState(ctx.link, state),
  };
}

/**
 * The gas price of the transaction to come, for a batch that asks contract wallets or has reverted: in a call without
 * a price their code would know that nobody pays. None if the sender cannot pay it: then nothing is sent anyway.
 */
async function priceFor(
  { link }: Pick<EvmContext, 'link'>,
  sender: string,
  gas: bigint,
  { charges, asksWallets }: Batch,
): Promise<{ readonly gasPrice?: string }> {
  if (!asksWallets && !haveReverted(charges)) return {};
  const { block, tip, balance } = senderState(link, await link.batch(senderQuestions(sender)));
  const price = (block.baseFeePerGas ?? 0n) + feesOf(block, tip, link.fees).maxPriorityFeePerGas;
  return balance >= gas * price ? { gasPrice: toQuantity(price) } : {};
}

/** Charges with the call data of their `chargeMany`, in the order of the router's answers. */
export interface Batch extends GasOf {
  readonly mandates: MandatesById;
  readonly data: string;
}

/**
 * Encodes a part of a batch. The data of the whole batch is used again.
 * @throws BatchFailed when a charge cannot be encoded
 */
export function encodePart(charges: readonly ChargeDoc[], whole: Batch): Batch {
  if (whole.charges.length === charges.length) return { ...whole, charges };
  return encodeBatch({ ...whole, charges });
}

/**
 * Encodes charges of one router. `mandates` has those that they name.
 * @throws BatchFailed when a charge cannot be encoded
 */
export function encodeBatch({ charges: unordered, mandates, asksWallets }: Omit<Batch, 'data'>): Batch {
  const charges = inRouterOrder(unordered);
  try {
    return { charges, mandates, asksWallets, data: routerCall(charges, mandates) };
  } catch (error) {
    throw new BatchFailed(`the router's call cannot be encoded: ${messageOf(error)}`);
  }
}

/**
 * The result of the sender's call of the router.
 * @throws RouterRefuses when the router refuses the sender or is paused; BatchFailed for any other revert;
 * NodeUnreachable
 */
export function routerResult(answer: RpcAnswer | undefined, sender: string): unknown {
  if (answer === undefined || answer.ok) return resultOf(answer);
  const { error } = answer;
  if (error instanceof NodeUnreachable) throw error;
  throw meaningOf(error, sender);
}

/**
 * One outcome for each of the charges: `0x` if it would be made, else its revert data.
 * @throws as `routerResult`
 */
export function outcomesIn(
  answer: RpcAnswer | undefined,
  { from }: ChainReading['call'],
  charges: readonly ChargeDoc[],
): readonly string[] {
  if (charges.some(isRefund)) return [refundOutcome(answer, from)];
  return decodeChargeMany(hexBytes.parse(routerResult(answer, from)));
}

/** The answer in the form of an entry of `chargeMany`: `0x` if the refund would be made, else its revert data. */
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
  if (reason.kind === 'paused') return new RouterRefuses('the owner has paused the router');
  if (reason.kind === 'not_sender') return new RouterRefuses(`the router does not accept ${sender} as a sender`);
  return new BatchFailed(reason.kind === 'unknown' ? error.message : `the router refuses the batch: ${reason.kind}`);
}

function readReason(data: string | undefined): Reason | null {
  if (data === undefined) throw new BatchFailed('the router answered for fewer charges than it was asked for');
  return data === '0x' ? null : decodeReason(data);
}
