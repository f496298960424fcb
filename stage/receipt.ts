import { setTimeout as delay } from 'node:timers/promises';
import type { Provider, TransactionReceipt } from 'ethers';
import { ScriptError } from '../scripts/lib/script.ts';

const POLL_MS = 20;
const WITHIN_MS = 60_000;

/**
 * The receipt of a transaction, polled until it is in a block. ethers' own `wait` starts from a block number that it
 * has read before, and may then wait for another block, which an idle chain never makes.
 *
 * @throws ScriptError if the transaction was not accepted, or is in no block after a minute
 */
export async function receiptOf(
  provider: Pick<Provider, 'getTransactionReceipt'>,
  hash: string,
): Promise<TransactionReceipt> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const receipt = await provider.getTransactionReceipt(hash);
    if (receipt?.status === 1) return receipt;
    if (receipt) throw new ScriptError(`transaction ${hash} was not accepted by the chain`);
    if (performance.now() > deadline) throw new ScriptError(`transaction ${hash} is in no block after ${WITHIN_MS} ms`);
    await delay(POLL_MS);
  }
}
