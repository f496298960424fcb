import { formatEther } from 'ethers';
import { resultOf } from '../../rpc.ts';
import { type GasReading, OutOfGas } from '../../sender/gas.ts';
import { baseFeeOf, type Fees, feesOf } from '../fees.ts';
import type { EvmLink } from '../link.ts';
import { quantity, smallQuantity } from '../wire.ts';

/** How the chain stands for one sender. */
export interface Market {
  readonly head: number;
  /** Of the newest block, wei. */
  readonly baseFee: bigint;
  /** Of the newest block: the most gas that one has. */
  readonly blockGas: bigint;
  /** What the market asks for. */
  readonly fees: Fees;
  /** Of the sender, wei. */
  readonly balance: bigint;
  /** How many transactions of the sender are in blocks: the nonce that can be in the next one. */
  readonly minedCount: number;
}

/** Asks all of it at once. @throws NodeUnreachable; Blocked where the chain has no base fee */
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

/** What a charge that is alone in its transaction takes, about. */
const LEAST_GAS = 120_000n;

/** What a sender has for gas, and what the smallest charge would need. */
export async function readGas(link: EvmLink, sender: string): Promise<GasReading> {
  const { balance, fees } = await readMarket(link, sender);
  return { balance, least: LEAST_GAS * fees.maxFeePerGas };
}

/** For people. */
export function gasSentence(sender: string, balance: bigint, needed: bigint): string {
  return `sender ${sender} has ${formatEther(balance)} of the native coin for gas; the next transaction may need ${formatEther(needed)}`;
}

/** @throws OutOfGas when `balance` is less than `cost` */
export function mustAfford(sender: string, balance: bigint, cost: bigint): void {
  if (balance < cost) throw new OutOfGas(gasSentence(sender, balance, cost), cost);
}
