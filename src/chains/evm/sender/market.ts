import { formatEther } from 'ethers';
import { resultOf } from '../../rpc.ts';
import { type GasReading, OutOfGas } from '../../sender/gas.ts';
import { baseFeeOf, type Fees, feesOf } from '../fees.ts';
import type { EvmLink } from '../link.ts';
import { quantity, smallQuantity } from '../wire.ts';

/** The state of the chain for one sender. */
export interface Market {
  readonly head: number;
  /** Of the newest block, in wei. */
  readonly baseFee: bigint;
  /** The gas limit of the newest block. */
  readonly blockGas: bigint;
  /** The fees that the market asks for. */
  readonly fees: Fees;
  /** Of the sender, in wei. */
  readonly balance: bigint;
  /** The number of the sender's transactions in blocks: the nonce that can be in the next block. */
  readonly minedCount: number;
}

/** Reads everything in one request. @throws NodeUnreachable; Blocked if the chain has no base fee */
export async function readMarket(link: EvmLink, sender: string): Promise<Market> {
  const [count, balance, tip, latest] = await link.batch([
    { method: 'eth_getTransactionCount', params: [sender, 'latest'] },
    { method: 'eth_getBalance', params: [sender, 'latest'] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ]);
  const block = link.sawBlock(resultOf(latest));
  return {
    head: block.number,
    baseFee: baseFeeOf(block),
    blockGas: block.gasLimit,
    fees: feesOf(block, tip?.ok === true ? tip.result : null, link.tipMax),
    balance: quantity.parse(resultOf(balance)),
    minedCount: smallQuantity.parse(resultOf(count)),
  };
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
