import { z } from 'zod';
import { RpcFault, rpcCodes } from '../../../devnet/solana/rpc-fault.ts';
import { toQuantity } from '../../../src/chains/evm/wire.ts';
import type { Landed, LandedLog, SimBlock } from './blocks.ts';

const lower = z.string().toLowerCase();
const oneOrMore = z.union([lower.transform((one) => [one]), z.array(lower)]);
const filterSchema = z.object({
  fromBlock: z.unknown(),
  toBlock: z.unknown(),
  address: oneOrMore.optional(),
  topics: z.array(oneOrMore.nullable()).optional(),
});

/**
 * `eth_getLogs`.
 * @throws RpcFault for a range that begins after the newest block
 */
export function findLogs(blocks: readonly SimBlock[], given: unknown, numberOf: (tag: unknown) => number): object[] {
  const parsed = filterSchema.safeParse(given);
  if (!parsed.success) throw new RpcFault(rpcCodes.invalidParams, 'invalid argument 0: not a filter');
  const { fromBlock, toBlock, address, topics = [] } = parsed.data;
  const from = numberOf(fromBlock ?? 'latest');
  const to = numberOf(toBlock ?? 'latest');
  if (from >= blocks.length) throw new RpcFault(rpcCodes.invalidParams, 'block not found');
  const isWanted = (log: LandedLog): boolean =>
    (address === undefined || address.includes(log.address)) &&
    topics.every((wanted, index) => wanted === null || wanted.includes(log.topics[index] ?? ''));
  return blocks
    .slice(from, to + 1)
    .flatMap(({ landed }) => landed)
    .flatMap((each) => each.logs.filter(isWanted).map((log) => logView(each, log)));
}

export function logView(
  { blockNumber, blockHash, index, transaction }: Pick<Landed, 'blockNumber' | 'blockHash' | 'index' | 'transaction'>,
  { address, topics, data, logIndex }: LandedLog,
): object {
  return {
    address,
    topics,
    data,
    blockNumber: toQuantity(blockNumber),
    blockHash,
    transactionHash: transaction.hash,
    transactionIndex: toQuantity(index),
    logIndex: toQuantity(logIndex),
    removed: false,
  };
}
