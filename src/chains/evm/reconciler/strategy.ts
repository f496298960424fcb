import type { BlockRef, TransactionDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import type { Followed, ReconcilerStrategy } from '../../reconciler/reconciler.ts';
import type { EvmContext } from '../context.ts';
import type { Checked } from '../link.ts';
import { settlePermits } from '../permits/submit.ts';
import { broadcast } from '../sender/broadcast.ts';
import { abandon } from './abandon.ts';
import type { TransactionStatus } from './agree.ts';
import { ask, FinalityTag } from './ask.ts';
import { updatesOf } from './charge-updates.ts';
import { settle } from './settle.ts';

type Absent = Extract<TransactionStatus, { kind: 'absent' }>;

/** Only a final receipt ends a charge of an EVM chain, or another transaction that has its nonce for good. */
export function evmReconciling(ctx: EvmContext): ReconcilerStrategy<Checked, TransactionStatus> {
  const tag = new FinalityTag();
  return {
    ready: () => ctx.link.ready(),
    ask: (transactions) => ask(ctx, tag, transactions),
    needsCharges: ({ kind }) => kind === 'included' || kind === 'expired',
    abandon: (expired) => abandon(ctx, expired),
    sendAgain: (absent) => sendAgain(ctx, absent),
    settle: async (included) => {
      await settlePermits(ctx, included);
      await settle(
        ctx,
        included.map((each) => ({ ...each, updates: updatesOf(each) })),
      );
    },
  };
}

async function sendAgain(ctx: EvmContext, absent: readonly Followed<Absent>[]): Promise<void> {
  await reorg(
    ctx,
    absent.map(({ transaction }) => transaction),
  );
  await noteDisplaced(
    ctx,
    absent.map(({ transaction, status }) => ({ transaction, displaced: status.displaced })),
  );
  const lost = absent.filter(({ status }) => !status.known).map(({ transaction }) => transaction);
  if (lost.length > 0) await broadcast(ctx, lost);
}

/**
 * Handles transactions that were in a block and are in none now. One that was not final is on its way again, with its
 * charges; payments are not notified before it lands again. A final one stays final, and is broadcast again.
 */
async function reorg(ctx: EvmContext, transactions: readonly TransactionDoc[]): Promise<void> {
  const fallen = transactions.filter(({ state }) => state === 'mined' || state === 'final');
  if (fallen.length === 0) return;
  for (const { _id, txHash, block, state } of fallen) {
    ctx.log.warn({ chainId: ctx.chainId, transactionId: _id, txHash, block, state }, 'transaction was reorged out');
  }
  await checkSoon(
    ctx,
    fallen.filter(({ state }) => state === 'final'),
  );
  const shallow = fallen.filter(({ state }) => state === 'mined');
  const onItsWay = { txHash: null, block: null, updatedAt: ctx.clock() };
  await ctx.records.changeMany(
    'charges',
    shallow.flatMap(({ _id, chargeIds }) =>
      chargeIds.map((id) => ({
        id,
        where: { state: 'mined', transactionId: _id },
        change: { set: { state: 'sent', ...onItsWay } },
      })),
    ),
  );
  await ctx.records.changeMany(
    'transactions',
    shallow.map(({ _id, asked }) => ({
      id: _id,
      where: { asked, state: 'mined' },
      change: { set: { state: 'signed', ...onItsWay, asked: 0, askAt: ctx.clock() } },
    })),
  );
}

/** Checks final transactions that were reorged out with every block, until they land again or never can. */
async function checkSoon(ctx: EvmContext, transactions: readonly TransactionDoc[]): Promise<void> {
  const { askFirstMs, blockMs } = ctx.timing;
  const askAt = later(ctx, Math.max(askFirstMs, blockMs));
  await ctx.records.changeMany(
    'transactions',
    transactions.map(({ _id, asked }) => ({ id: _id, where: { asked, state: 'final' }, change: { set: { askAt } } })),
  );
  if (transactions.length > 0) ctx.wakeReconciler(Math.max(askFirstMs, blockMs));
}

/** Stores for each transaction the block that shows its nonce used by another one; null: the nonce is free. */
async function noteDisplaced(
  ctx: EvmContext,
  found: readonly { readonly transaction: TransactionDoc; readonly displaced: BlockRef | null }[],
): Promise<void> {
  const changed = found.filter(({ transaction, displaced }) => transaction.displaced?.hash !== displaced?.hash);
  for (const { transaction, displaced } of changed) {
    const { _id, sender, nonce } = transaction;
    const about = { chainId: ctx.chainId, transactionId: _id, sender, nonce, displaced };
    ctx.log.warn(about, displaced ? 'another transaction has this nonce' : 'no other transaction has this nonce now');
  }
  await ctx.records.changeMany(
    'transactions',
    changed.map(({ transaction: { _id }, displaced }) => ({ id: _id, where: {}, change: { set: { displaced } } })),
  );
}
