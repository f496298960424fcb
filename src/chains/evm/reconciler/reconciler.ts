import type { TransactionDoc } from '../../../store/collections.ts';
import { Reconciler } from '../../reconciler/reconciler.ts';
import type { EvmContext } from '../context.ts';
import type { Checked } from '../link.ts';
import { settlePermits } from '../permits/settle.ts';
import { broadcast } from '../sender/broadcast.ts';
import { abandon } from './abandon.ts';
import { ask, FinalityTag } from './ask.ts';
import { updatesOf } from './charge-updates.ts';
import type { Standing } from './judge.ts';
import { noteDisplaced, reorg } from './reorg.ts';
import { type Landing, settle } from './settle.ts';

type Absent = Extract<Standing, { kind: 'absent' }> & { readonly transaction: TransactionDoc };
type Included = Pick<Landing, 'transaction' | 'standing'>;

/**
 * The reconciler of an EVM chain. An error, a time-out or a node that knows nothing does not end a charge. Only a final receipt
 * does, or another transaction that has its nonce for good.
 */
export function evmReconciler(ctx: EvmContext): Reconciler<Checked> {
  const tag = new FinalityTag();
  return new Reconciler(ctx, {
    ready: () => ctx.link.ready(),
    follow: (_, due) => follow(ctx, tag, due),
  });
}

async function follow(ctx: EvmContext, tag: FinalityTag, due: readonly TransactionDoc[]): Promise<void> {
  const standings = await ask(ctx, tag, due);
  const absent: Absent[] = [];
  const included: Included[] = [];
  for (const [index, transaction] of due.entries()) {
    const standing = standings[index];
    if (standing?.kind === 'absent') absent.push({ ...standing, transaction });
    if (standing?.kind === 'included') included.push({ transaction, standing });
    if (standing?.kind === 'dead') await abandon(ctx, transaction, standing.isFinal);
  }
  await followAbsent(ctx, absent);
  await followIncluded(ctx, included);
}

async function followAbsent(ctx: EvmContext, absent: readonly Absent[]): Promise<void> {
  if (absent.length === 0) return;
  await reorg(
    ctx,
    absent.map(({ transaction }) => transaction),
  );
  await noteDisplaced(ctx, absent);
  const lost = absent.filter(({ known }) => !known).map(({ transaction }) => transaction);
  if (lost.length > 0) await broadcast(ctx, lost);
}

async function followIncluded(ctx: EvmContext, included: readonly Included[]): Promise<void> {
  if (included.length === 0) return;
  await settlePermits(ctx, included);
  const ids = included.flatMap(({ transaction }) => transaction.chargeIds);
  const charges = new Map((await ctx.records.get('charges', ids)).map((charge) => [charge._id, charge]));
  const landings = included.map(({ transaction, standing }) => {
    const own = transaction.chargeIds.flatMap((id) => charges.get(id) ?? []);
    return { transaction, standing, updates: updatesOf(transaction, own, standing, ctx.routers) };
  });
  await settle(ctx, landings);
  // A mined transaction lets another one follow of its sender.
  if (included.some(({ transaction }) => transaction.state === 'signed')) ctx.wakeQueues();
}
