import type { ChainPage, Movement } from '../../chain-reader.ts';
import type { WireLog } from '../wire.ts';
import { readTransaction, type Transfer } from './charges.ts';

/**
 * Reads logs of the routers, and transfers from a router or a sender. A share of a `Charged` in the same transaction
 * explains a transfer from its router. A sender has no tokens to send.
 */
export function pageOf(logs: readonly WireLog[], routers: readonly string[]): ChainPage {
  const read = [...byTransaction(logs).values()].map((each) => readTransaction(each.sort(inOrder), routers));
  return {
    charges: read.flatMap(({ charges }) => charges),
    others: read.flatMap(({ left }) => left.map(moved)),
  };
}

function byTransaction(logs: readonly WireLog[]): ReadonlyMap<string, WireLog[]> {
  const transactions = new Map<string, WireLog[]>();
  for (const log of logs) {
    const known = transactions.get(log.transactionHash);
    if (known) known.push(log);
    else transactions.set(log.transactionHash, [log]);
  }
  return transactions;
}

function inOrder(a: WireLog, b: WireLog): number {
  return a.logIndex - b.logIndex;
}

function moved({ from, to, amount, token, txHash, block }: Transfer): Movement {
  const what = `${amount} base units of ${token} went from ${from} to ${to}, and no charge explains it`;
  return { txHash, block, what, mayBeKnown: false };
}
