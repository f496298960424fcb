import type { Followed, ReconcilerStrategy } from '../../reconciler/reconciler.ts';
import type { EvmContext } from '../context.ts';
import type { Checked } from '../link.ts';
import { settlePermits } from '../permits/settle.ts';
import { broadcast } from '../sender/broadcast.ts';
import { abandon } from './abandon.ts';
import { ask, FinalityTag } from './ask.ts';
import { updatesOf } from './charge-updates.ts';
import type { TransactionStatus } from './judge.ts';
import { noteDisplaced, reorg } from './reorg.ts';
import { settle } from './settle.ts';

type Absent = Extract<TransactionStatus, { kind: 'absent' }>;

/** Only a final receipt ends a charge of an EVM chain, or another transaction that has its nonce for good. */
export function evmReconciling(ctx: EvmContext): ReconcilerStrategy<Checked, TransactionStatus> {
  const tag = new FinalityTag();
  return {
    ready: () => ctx.link.ready(),
    ask: (transactions) => ask(ctx, tag, transactions),
    needsCharges: ({ kind }) => kind === 'included' || kind === 'expired',
    abandon: ({ transaction, status, charges }) => abandon(ctx, transaction, charges, status.isFinal),
    sendAgain: (absent) => sendAgain(ctx, absent),
    settle: async (included) => {
      await settlePermits(ctx, included);
      await settle(
        ctx,
        included.map((each) => ({ ...each, updates: updatesOf(each, ctx.routers) })),
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
