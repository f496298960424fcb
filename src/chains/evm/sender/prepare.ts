import { formatEther } from 'ethers';
import type { ChargeDoc } from '../../../store/collections.ts';
import type { EvmContext } from '../context.ts';
import { type Fees, feesOf } from '../fees.ts';
import { Blocked } from '../troubles.ts';
import { quantity, toQuantity } from '../wire.ts';
import { BatchFailed, encodeBatch, type Look, routerResult } from './simulate.ts';

/** What the transaction of a batch needs. */
export interface Prepared {
  readonly fees: Fees;
  readonly gasLimit: bigint;
}

/**
 * Fees and gas for a batch of charges that would be made. The router reverts a transaction with too little gas as a
 * whole, so the node's estimate covers every charge; a third is added, for between estimate and block things get dearer.
 * @throws Blocked when the sender cannot pay for it; BatchFailed when it does not fit into a block
 */
export async function prepare(
  ctx: EvmContext,
  router: string,
  sender: string,
  charges: readonly ChargeDoc[],
  look: Look,
): Promise<Prepared> {
  const fees = feesOf(look.block, look.tip);
  const call = { from: sender, to: router, data: encodeBatch(charges) };
  const [answer] = await ctx.link.batch([{ method: 'eth_estimateGas', params: [call, 'latest'] }]);
  const estimate = quantity.parse(routerResult(answer, sender));
  if (estimate > look.block.gasLimit) {
    throw new BatchFailed(`needs ${toQuantity(estimate)} gas, a block has ${toQuantity(look.block.gasLimit)}`);
  }
  const wanted = estimate + estimate / 3n;
  const gasLimit = wanted < look.block.gasLimit ? wanted : look.block.gasLimit;
  const cost = gasLimit * fees.maxFeePerGas;
  if (look.balance < cost) {
    throw new Blocked(
      `sender ${sender} has ${formatEther(look.balance)} of the native coin for gas; the next transaction may need ${formatEther(cost)}`,
    );
  }
  return { fees, gasLimit };
}
