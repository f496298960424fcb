import { formatEther } from 'ethers';
import { Blocked } from '../context.ts';
import { type RpcAnswer, type RpcCall, resultOf } from '../rpc.ts';
import { type GasReading, OutOfGas } from '../sender/gas.ts';
import { type FeeLimits, larger, smaller } from './fee-limits.ts';
import type { EvmLink } from './link.ts';
import { quantity, smallQuantity, type WireBlock } from './wire.ts';

/** The fees that a transaction offers for its gas, in wei (EIP-1559). */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The tip in wei if a node suggests none. */
const USUAL_TIP = 1_000_000_000n;

/** A replacement offers at most this many times the fees of the market. */
export const FEE_CAP = 4n;

/**
 * The fees that the market asks for. The base fee may double, which takes at least six full blocks; the chain does not
 * charge the unused part.
 * @param tip the node's suggestion (`eth_maxPriorityFeePerGas`); null: it has none
 */
export function feesOf(block: WireBlock, tip: unknown, limits: FeeLimits): Fees {
  const suggested = quantity.safeParse(tip);
  const usual = suggested.success ? suggested.data : USUAL_TIP;
  const maxPriorityFeePerGas = smaller(larger(usual, limits.needed.tip), limits.tipMax);
  return { maxFeePerGas: baseFeeOf(block, limits) * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/**
 * The base fee of the newest block, or the higher one that a node asks for, up to `FEE_CAP` times what may be true.
 * @throws Blocked if the chain has none
 */
function baseFeeOf({ baseFeePerGas }: WireBlock, { needed, tipMax }: FeeLimits): bigint {
  if (baseFeePerGas === null || baseFeePerGas === undefined) {
    throw new Blocked('the chain has no base fee: EIP-1559 is needed');
  }
  return larger(baseFeePerGas, smaller(needed.baseFee, (baseFeePerGas + tipMax) * FEE_CAP));
}

/**
 * The fees for a replacement of a transaction that offers `old`: at least an eighth more in both fields (nodes require
 * a tenth), and at least the fees of the market. Null: that would be more than `FEE_CAP` times the market's fees, or
 * `FEE_CAP` times the chain's `tipMax`.
 */
export function replacementFees(old: Fees, market: Fees, tipMax: bigint): Fees | null {
  const maxFeePerGas = larger(raised(old.maxFeePerGas), market.maxFeePerGas);
  const tip = larger(raised(old.maxPriorityFeePerGas), market.maxPriorityFeePerGas);
  if (maxFeePerGas > market.maxFeePerGas * FEE_CAP || tip > tipMax * FEE_CAP) return null;
  return { maxFeePerGas, maxPriorityFeePerGas: tip };
}

function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n;
}

/** What signing needs to know of the chain and the sender. */
export interface SenderState {
  readonly block: WireBlock;
  /** The node's answer about the usual tip; null: no answer. */
  readonly tip: unknown;
  /** Of the sender, in wei. */
  readonly balance: bigint;
  /** The number of the sender's transactions in blocks: the nonce that can be in the next block. */
  readonly minedCount: number;
}

/** `senderState` reads the answers. The newest block comes first. */
export function senderQuestions(sender: string): RpcCall[] {
  return [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_getBalance', params: [sender, 'latest'] },
    { method: 'eth_getTransactionCount', params: [sender, 'latest'] },
  ];
}

export function senderState(
  link: Pick<EvmLink, 'sawBlock'>,
  [latest, tip, balance, count]: readonly RpcAnswer[],
): SenderState {
  return {
    block: link.sawBlock(resultOf(latest)),
    tip: tip?.ok === true ? tip.result : null,
    balance: quantity.parse(resultOf(balance)),
    minedCount: smallQuantity.parse(resultOf(count)),
  };
}

/** The state of the chain for one sender. */
export interface Market extends Pick<SenderState, 'balance' | 'minedCount'> {
  readonly head: number;
  /** The least that gets a transaction into a block, in wei. */
  readonly baseFee: bigint;
  /** The gas limit of the newest block. */
  readonly blockGas: bigint;
  /** The fees that the market asks for. */
  readonly fees: Fees;
}

/** Reads everything in one request. @throws NodeUnreachable; Blocked if the chain has no base fee */
export async function readMarket(link: EvmLink, sender: string): Promise<Market> {
  const { block, tip, ...state } = senderState(link, await link.batch(senderQuestions(sender)));
  const fees = feesOf(block, tip, link.fees);
  return { ...state, head: block.number, baseFee: baseFeeOf(block, link.fees), blockGas: block.gasLimit, fees };
}

/** About the gas of a charge that is alone in its transaction. */
const LEAST_GAS = 120_000n;

/** The sender's balance for gas, and the amount that the smallest charge would need. */
export async function readGas(link: EvmLink, sender: string): Promise<GasReading> {
  const { balance, fees } = await readMarket(link, sender);
  return { balance, least: LEAST_GAS * fees.maxFeePerGas };
}

/** The sentence for operators; amounts in wei, shown in the native coin. */
export function gasSentence(sender: string, balance: bigint, needed: bigint): string {
  return `sender ${sender} has ${formatEther(balance)} of the native coin for gas; the next transaction may need ${formatEther(needed)}`;
}

/** @throws OutOfGas when `balance` is less than `cost` */
export function mustAfford(sender: string, balance: bigint, cost: bigint): void {
  if (balance < cost) throw new OutOfGas(gasSentence(sender, balance, cost), cost);
}
