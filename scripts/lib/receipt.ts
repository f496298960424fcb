import { setTimeout as delay } from 'node:timers/promises';
import type { Provider, TransactionReceipt } from 'ethers';
import { ScriptError } from './script.ts';

const POLL_MS = 20;
const WITHIN_MS = 60_000;

/**
 * The receipt of a transaction, when it is in a block. It is asked for until it is there: ethers' own `wait` goes by the number
 * of a block that it has read before, and may then wait for another block, of which a chain that rests has none.
 *
 * @throws ScriptError when it was not accepted, or is in no block after a minute
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
