import type { ChainPage, Movement, OnChainCharge } from '../../chain-reader.ts';
import type { WireLog } from '../wire.ts';
import { readCharge, readRefund, readTransfer, type Transfer } from './charges.ts';

/**
 * Reads logs of the router, and transfers from the router or a sender. A share of a `Charged` in the same transaction explains
 * a transfer from the router. A sender has no tokens to send. A refund leaves its deposit address directly, so it explains no
 * transfer.
 */
export function pageOf(logs: readonly WireLog[], router: string): ChainPage {
  const charges = logs.flatMap((log) => readCharge(log, router) ?? []);
  const unexplained = unexplainedOf(charges);
  const transfers = logs.flatMap((log) => readTransfer(log) ?? []);
  return {
    charges: [...charges, ...logs.flatMap((log) => readRefund(log, router) ?? [])],
    others: transfers.flatMap((each) => (unexplained(each, router) ? [moved(each)] : [])),
  };
}

/** Uses up one share of a charge for each transfer that it explains. */
function unexplainedOf(charges: readonly OnChainCharge[]): (transfer: Transfer, router: string) => boolean {
  const paid = new Map<string, number>();
  for (const { txHash, token, shares } of charges) {
    for (const { to, amount } of shares) {
      const name = nameOf({ txHash, token, to, amount });
      paid.set(name, (paid.get(name) ?? 0) + 1);
    }
  }
  return (transfer, router) => {
    const name = nameOf(transfer);
    const count = paid.get(name) ?? 0;
    if (transfer.from !== router || count === 0) return true;
    paid.set(name, count - 1);
    return false;
  };
}

function nameOf({ txHash, token, to, amount }: Pick<Transfer, 'txHash' | 'token' | 'to' | 'amount'>): string {
  return `${txHash}:${token}:${to}:${amount}`;
}

function moved({ from, to, amount, token, txHash, block }: Transfer): Movement {
  const what = `${amount} base units of ${token} went from ${from} to ${to}, and no charge explains it`;
  return { txHash, block, what, mayBeKnown: false };
}
