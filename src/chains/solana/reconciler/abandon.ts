import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import { endReorged, giveUpTransaction, releaseCharge } from '../../reconciler/outcomes.ts';
import type { Followed } from '../../reconciler/reconciler.ts';
import { NodeRefused, NodeUnreachable } from '../../rpc.ts';
import type { CheckedTokens, SolanaContext } from '../context.ts';
import { type Fence, readFences } from '../fence.ts';
import { planIn, referenceOf } from '../plan.ts';
import { reconcileExisting } from '../reconcile-existing.ts';
import type { TransactionStatus } from './agree.ts';

type Expired = Followed<Extract<TransactionStatus, { kind: 'expired' }>>;

/**
 * Gives up a transaction that can never land: no block up to the last possible one holds it, and all of these are
 * finalized. Its charge waits again, and may be signed anew. Before that, the chain is asked once more whether anything
 * has charged its key. A charge that was final, and is not listed there either, was reorged out for good.
 */
export async function abandon(ctx: SolanaContext, tokens: CheckedTokens, expired: Expired): Promise<void> {
  // The finalized slot up to which the chain shows this.
  const { asOf } = expired.status;
  await giveUpTransaction(ctx, expired, {
    release: (charge) => giveUp(ctx, tokens, charge, asOf),
    reorg: (charge) => reorg(ctx, charge, expired.transaction, asOf),
    why: 'its blockhash has expired',
  });
}

/** False: this is not certain, and it is checked again. */
async function giveUp(ctx: SolanaContext, tokens: CheckedTokens, charge: ChargeDoc, asOf: number): Promise<boolean> {
  const plan = await planIn(ctx, tokens, charge);
  if (plan === null) return false;
  const fence = await fenceOf(ctx, charge, asOf);
  if (fence === null) return false;
  const reconciled = await reconcileExisting(ctx, { plan, ...fence }, true);
  if (reconciled !== 'others') return reconciled === 'followed';
  return releaseCharge(ctx, charge);
}

/** The present list of transactions that name its key. Null: a node that is not behind did not answer. */
async function fenceOf(ctx: SolanaContext, { key }: ChargeDoc, asOf: number): Promise<Fence | null> {
  try {
    const [fence = null] = await readFences(ctx.link, [referenceOf(ctx, key)], asOf);
    return fence;
  } catch (error) {
    if (error instanceof NodeUnreachable || error instanceof NodeRefused) return null;
    throw error;
  }
}

/** False: the key's address may still list it, and it is checked again. */
async function reorg(
  ctx: SolanaContext,
  charge: ChargeDoc,
  { txHash }: TransactionDoc,
  asOf: number,
): Promise<boolean> {
  const fence = await fenceOf(ctx, charge, asOf);
  if (fence === null || !fence.isWhole || fence.landed.some(({ signature }) => signature === txHash)) return false;
  return endReorged(ctx, charge);
}
