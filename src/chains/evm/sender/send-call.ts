import { type RpcAnswer, type RpcCall, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { feesOf, mustAfford } from '../fees.ts';
import type { Signer } from '../signer.ts';
import { gasEstimate, quantity, smallQuantity, type WireBlock } from '../wire.ts';
import { broadcast } from './broadcast.ts';
import { nextNonce } from './ledger.ts';
import { mayBeInFlight } from './prepare.ts';
import { storeSigned } from './send.ts';
import { routerResult } from './simulate.ts';

/** A call of a router that makes no charge: a permit, or an announced payee. */
export interface PlainCall {
  readonly sender: string;
  readonly router: string;
  readonly data: string;
}

/** The values that signing a call needs. */
export interface CallReading {
  readonly call: PlainCall;
  readonly estimate: bigint;
  readonly block: WireBlock;
  /** As in `ChainReading`. */
  readonly tip: unknown;
  readonly balance: bigint;
  readonly minedCount: number;
}

/** The questions before the call is signed; `readingOf` reads the answers. The newest block and the gas come first. */
export function questionsOf({ sender, router, data }: PlainCall): RpcCall[] {
  return [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_estimateGas', params: [{ from: sender, to: router, data }, 'latest'] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_getBalance', params: [sender, 'latest'] },
    { method: 'eth_getTransactionCount', params: [sender, 'latest'] },
  ];
}

/** @throws RouterRefuses when the router is paused or does not accept the sender */
export function readingOf(call: PlainCall, block: WireBlock, answers: readonly RpcAnswer[]): CallReading {
  const [, estimate, tip, balance, count] = answers;
  return {
    call,
    estimate: gasEstimate.parse(routerResult(estimate, call.sender)),
    block,
    tip: tip?.ok === true ? tip.result : null,
    balance: quantity.parse(resultOf(balance)),
    minedCount: smallQuantity.parse(resultOf(count)),
  };
}

/** The document for which a call is sent. */
interface Caller {
  readonly permitId?: string;
  /** Takes the document for the transaction with this id. False: another process has it. */
  readonly take: (transactionId: string) => Promise<boolean>;
  /** Called when the transaction is stored, before it is broadcast. */
  readonly stored?: (transactionId: string) => Promise<void>;
}

/**
 * Sends a call in its own transaction: take, sign, store, broadcast, in this order and with the sender's next nonce, as
 * for a batch of charges. If the sender has too much in flight, nothing is taken.
 * @throws OutOfGas when the sender cannot pay for it
 */
export async function sendCall(
  ctx: EvmContext,
  signer: Signer,
  { call: { router, data }, ...reading }: CallReading,
  { permitId, take, stored }: Caller,
): Promise<void> {
  const { minedCount } = reading;
  const nonce = await nextNonce(ctx, signer.address, minedCount);
  const fees = feesOf(reading.block, reading.tip, ctx.link.fees);
  // A third more than the node's estimate, as for charges: the call may need more gas by the time of its block.
  const gasLimit = reading.estimate + reading.estimate / 3n;
  mustAfford(signer.address, reading.balance, gasLimit * fees.maxFeePerGas);
  if (!mayBeInFlight(ctx, nonce - minedCount, { gasLimit, fees }, reading.balance)) return;
  const id = ctx.newId();
  if (!(await take(id))) return;
  await ctx.fault('sender.started.after');
  const unsigned = { id, to: router, data, gasLimit, fees, chargeIds: [], ...(permitId ? { permitId } : {}) };
  const transaction = await storeSigned(ctx, signer, unsigned, { nonce, minedCount });
  await ctx.fault('sender.stored.after');
  await stored?.(id);
  await broadcast(ctx, [transaction]);
  await ctx.fault('sender.broadcast.after');
  ctx.wakeReconciler(ctx.timing.askFirstMs);
}
