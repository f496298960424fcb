import { z } from 'zod';
import { chunksOf } from '../chain-reader.ts';
import { groupBy } from '../group-by.ts';
import { listOf } from '../list-of.ts';
import type { KnownArrival } from '../port.ts';
import { shownIn } from '../rpc.ts';
import type { EvmContext } from './context.ts';
import { smallQuantity, type WireLog } from './wire.ts';

type Ctx = Pick<EvmContext, 'link'>;

/** A transfer to a deposit address. Addresses are in lower case, except the token's. */
export interface Transfer {
  readonly log: WireLog;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** The most receipts in one request, one request after the other: a receipt can be as large as a block allows. */
const RECEIPTS_EACH = 5;

/**
 * Transfers to one address whose transactions are not known in full yet, by transaction, in their order. A transaction
 * is known in full if the same number of its arrivals is known, with the same distances between them.
 */
export function unknownOf(transfers: readonly Transfer[], found: readonly KnownArrival[]): Transfer[][] {
  return [...groupBy(transfers, ({ log }) => log.transactionHash)].flatMap(([hash, group]) => {
    const known = found.filter(({ txHash }) => txHash === hash);
    return isKnown(group, known) ? [] : [group];
  });
}

function isKnown(group: readonly Transfer[], known: readonly KnownArrival[]): boolean {
  const logIndexes = group.map(({ log }) => log.logIndex).sort((a, b) => a - b);
  const indexes = known.map(({ index }) => index).sort((a, b) => a - b);
  const shift = (logIndexes[0] ?? 0) - (indexes[0] ?? 0);
  return (
    logIndexes.length === indexes.length && logIndexes.every((logIndex, at) => logIndex === (indexes[at] ?? 0) + shift)
  );
}

const receipt = z.object({ logs: listOf(z.object({ logIndex: smallQuantity })) });

/**
 * The number of each transaction's first log, by hash: the index of a log in its transaction is the same after a reorg,
 * its number in the block is not. Each transaction is asked for once. Without an entry: the node gave no answer.
 */
export async function firstLogsOf({ link }: Ctx, transfers: readonly Transfer[]): Promise<Map<string, number>> {
  const hashes = [...new Set(transfers.map(({ log }) => log.transactionHash))];
  const first = new Map<string, number>();
  for (const part of chunksOf(hashes, RECEIPTS_EACH)) {
    const answers = await link.batch(part.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })));
    for (const [index, hash] of part.entries()) {
      const log = receipt.nullable().safeParse(shownIn(answers[index])).data?.logs[0];
      if (log !== undefined) first.set(hash, log.logIndex);
    }
  }
  return first;
}
