import { messageOf } from '../../../errors/message-of.ts';
import type { PermitDoc, TransactionDoc } from '../../../store/collections.ts';
import type { EvmContext } from '../context.ts';
import type { TransactionStatus } from '../reconciler/judge.ts';
import { asSeen, purgeAtOf } from './document.ts';

type Included = Extract<TransactionStatus, { kind: 'included' }>;

/**
 * Updates permits whose transactions are in a block. A permit that succeeded has set the allowance: everybody who waits
 * for it checks once. A permit that reverted for good waits again, and is judged again before the next submission. The
 * same transaction may be reported again.
 */
export async function settlePermits(
  ctx: EvmContext,
  included: readonly { readonly transaction: TransactionDoc; readonly status: Included }[],
): Promise<void> {
  const submitting = included.flatMap(({ transaction, status }) =>
    transaction.permitId === undefined ? [] : [{ id: transaction.permitId, transaction, status }],
  );
  if (submitting.length === 0) return;
  const permits = await ctx.records.get(
    'permits',
    submitting.map(({ id }) => id),
  );
  const byId = new Map(permits.map((permit) => [permit._id, permit]));
  const moves = submitting.flatMap(({ id, transaction, status }) => {
    const permit = byId.get(id);
    const set = permit && movedBy(ctx, permit, transaction, status);
    return permit && set ? [{ permit, set }] : [];
  });
  if (moves.length === 0) return;
  await ctx.records.changeMany(
    'permits',
    moves.map(({ permit, set }) => ({ id: permit._id, where: asSeen(permit), change: { set } })),
  );
  const wallets = moves.flatMap(({ permit, set }) => (set.state === 'taken' ? [permit.wallet.toLowerCase()] : []));
  if (wallets.length === 0) return;
  await ctx.listener.walletsChanged(ctx.chainId, wallets).catch((error: unknown) => {
    const about = { chainId: ctx.chainId, wallets: wallets.length, error: messageOf(error) };
    ctx.log.warn(about, 'could not report the allowances that permits have set; the next check finds them');
  });
}

type Move = Partial<PermitDoc> & Pick<PermitDoc, 'state'>;

function movedBy(
  ctx: EvmContext,
  permit: PermitDoc,
  transaction: TransactionDoc,
  { receipt, stage }: Included,
): Move | null {
  const { transactionHash: txHash } = receipt;
  const now = ctx.clock();
  if (receipt.status === 1) {
    if (permit.state === 'taken' && permit.txHash === txHash) return null;
    return { state: 'taken', reason: null, txHash, updatedAt: now, purgeAt: purgeAtOf(ctx) };
  }
  if (stage === 'mined' || permit.state === 'failed' || permit.transactionId !== transaction._id) return null;
  ctx.log.warn(
    { chainId: ctx.chainId, permit: permit._id, txHash },
    'permit reverted; it is judged again before the next submission',
  );
  const reverts = permit.reverts + 1;
  const cleared = { lane: null, transactionId: null, txHash: null, purgeAt: null };
  return { ...cleared, state: 'waiting', reverts, notBefore: now, updatedAt: now };
}
