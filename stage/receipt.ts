import type { Provider, TransactionReceipt } from 'ethers';
import { ScriptError } from '../scripts/lib/script.ts';
import { until } from './until.ts';

/**
 * The receipt of a transaction, polled until it is in a block. ethers' own `wait` starts from a block number that it
 * has read before, and may then wait for another block, which an idle chain never makes.
 *
 * @throws ScriptError if the transaction was not accepted, and an Error if it is in no block after a minute
 */
export async function receiptOf(
  provider: Pick<Provider, 'getTransactionReceipt'>,
  hash: string,
): Promise<TransactionReceipt> {
  const ask = () => provider.getTransactionReceipt(hash);
  const receipt = await until(`transaction ${hash} is in a block`, ask, (found) => found !== null);
  if (receipt.status !== 1) throw new ScriptError(`transaction ${hash} was not accepted by the chain`);
  return receipt;
}
