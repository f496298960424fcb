import type { Payment } from 'tideline/client';
import { type Transfer, units } from './chain.ts';

/** The platform's fee in these stories: one part in this many. */
const FEE_PART = 100n;

/**
 * Compares settled payments with the Transfer logs of their transactions, each of which may contain several charges: from each
 * payer the whole amount, to each payout wallet the rest after the fee, and nothing stays in the router, which charges under mandates do not touch. Throws if they differ.
 */
export function checkLedger(payments: readonly Payment[], transfers: readonly Transfer[], router: string): void {
  const said = new Map<string, bigint>();
  for (const { pullTxHash, fromWallet, toWallet, amount } of payments) {
    const gross = units(amount);
    add(said, `${pullTxHash} ${fromWallet}`, -gross);
    add(said, `${pullTxHash} ${toWallet}`, gross - gross / FEE_PART);
    add(said, `${pullTxHash} ${router}`, 0n);
  }
  const moved = new Map<string, bigint>();
  for (const { txHash, from, to, amount } of transfers) {
    add(moved, `${txHash} ${from}`, -amount);
    add(moved, `${txHash} ${to}`, amount);
  }
  const found = [...said.keys()].map((key) => [key, moved.get(key) ?? 0n]);
  expect(found).toEqual([...said]);
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}
