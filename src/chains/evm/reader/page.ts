import type { ChainPage, Movement, OnChainCharge } from '../../chain-reader.ts';
import type { WireLog } from '../wire.ts';
import { readCharge, readRefund, readTransfer, type Transfer } from './charges.ts';

/**
 * Reads logs of the routers, and transfers from a router or a sender. A share of a `Charged` in the same transaction explains
 * a transfer from its router. A sender has no tokens to send. A refund leaves its deposit address directly, so it explains no
 * transfer.
 */
export function pageOf(logs: readonly WireLog[], routers: readonly string[]): ChainPage {
  const charges = logs.flatMap((log) => routers.flatMap((router) => readCharge(log, router) ?? []));
  const unexplained = unexplainedOf(charges);
  const refunds = logs.flatMap((log) => routers.flatMap((router) => readRefund(log, router) ?? []));
  const transfers = logs.flatMap((log) => readTransfer(log) ?? []);
  return {
    charges: [...charges, ...refunds],
    others: transfers.flatMap((each) => (unexplained(each) ? [moved(each)] : [])),
  };
}

/** Uses up one share of a charge for each transfer that it explains. */
function unexplainedOf(charges: readonly OnChainCharge[]): (transfer: Transfer) => boolean {
  const paid = new Map<string, number>();
  for (const { router, txHash, token, shares } of charges) {
    if (router === null) continue;
    for (const { to, amount } of shares) {
      const name = nameOf({ from: router, txHash, token, to, amount });
      paid.set(name, (paid.get(name) ?? 0) + 1);
    }
  }
  return (transfer) => {
    const name = nameOf(transfer);
    const count = paid.get(name) ?? 0;
    if (count === 0) return true;
    paid.set(name, count - 1);
    return false;
  };
}

function nameOf({ txHash, token, from, to, amount }: Omit<Transfer, 'block' | 'index'>): string {
  return `${txHash}:${token}:${from}:${to}:${amount}`;
}

function moved({ from, to, amount, token, txHash, block }: Transfer): Movement {
  const what = `${amount} base units of ${token} went from ${from} to ${to}, and no charge explains it`;
  return { txHash, block, what, mayBeKnown: false };
}
