import { traced } from '../../../observability/tracing.ts';
import type { TransactionDoc } from '../../../store/collections.ts';
import { postpone } from '../../charges.ts';
import { refuse } from '../../sender/sender-loop.ts';
import { sendSpan, startCharges } from '../../sender/start.ts';
import type { SolanaContext } from '../context.ts';
import type { SolanaSigner } from '../keys.ts';
import { broadcast } from './broadcast.ts';
import { type Kept, keepToMandates } from './keep-to-mandates.ts';
import { storeTransactions } from './ledger.ts';
import type { ChainReading } from './read-chain.ts';
import { sign } from './sign.ts';
import type { Paying } from './sort.ts';

/**
 * Takes the charges, and makes a transaction of each: start, compare with the mandate, sign, store, broadcast, in this
 * order. After an interruption, `recoverStarted` finds started charges, the reconciler stored transactions.
 */
export function send(
  ctx: SolanaContext,
  feePayer: SolanaSigner,
  reading: ChainReading,
  paying: readonly Paying[],
): Promise<void> {
  const charges = paying.map(({ plan }) => plan.charge);
  return traced(sendSpan(ctx, feePayer.address, charges), () => sendNow(ctx, feePayer, reading, paying));
}

async function sendNow(
  ctx: SolanaContext,
  feePayer: SolanaSigner,
  reading: ChainReading,
  paying: readonly Paying[],
): Promise<void> {
  const byCharge = new Map(paying.map((each) => [each.plan.charge._id, each]));
  const charges = paying.map(({ plan }) => plan.charge);
  const started = await startCharges(ctx, feePayer.address, () => ctx.newId(), charges);
  if (started.length === 0) return;
  await ctx.fault('sender.started.after');
  const verdicts = await keepToMandates(ctx, started);
  const stored = await signAndStore(ctx, feePayer, reading, { byCharge, verdicts }).finally(() => {
    ctx.agreements.release(verdicts.reserved);
  });
  await ctx.fault('sender.stored.after');
  await broadcast(ctx, await markSent(ctx, stored));
  await ctx.fault('sender.broadcast.after');
  ctx.wakeReconciler(ctx.timing.askFirstMs);
}

interface Decided {
  readonly byCharge: ReadonlyMap<string, Paying>;
  readonly verdicts: Kept;
}

async function signAndStore(
  ctx: SolanaContext,
  feePayer: SolanaSigner,
  reading: ChainReading,
  { byCharge, verdicts: { kept, refused, waiting } }: Decided,
): Promise<TransactionDoc[]> {
  await refuse(ctx, refused);
  if (waiting.length > 0) await postpone(ctx, waiting, ctx.timing.blockMs);
  const signing = kept.flatMap((each) => {
    const paying = byCharge.get(each.charge._id);
    return paying ? [sign(ctx, feePayer, reading, paying, each)] : [];
  });
  const signed = await Promise.all(signing);
  await ctx.fault('sender.stored.before');
  // From here on others may see the bytes, and send them.
  const { lastValidBlockHeight } = reading;
  for (const { numbered } of kept) {
    if (numbered !== null)
      ctx.agreements.hasSigned(numbered.agreement, { number: numbered.record.number, lastValidBlockHeight });
  }
  return storeTransactions(ctx, feePayer.address, signed);
}

/**
 * Marks the charges of stored transactions as sent, and returns those transactions. A transaction whose charge another
 * process has taken over is not broadcast here. If that process has put the charge into this very transaction, the
 * reconciler sends it; else nobody does, and it expires.
 */
async function markSent(ctx: SolanaContext, stored: readonly TransactionDoc[]): Promise<TransactionDoc[]> {
  const won = await ctx.records.changeMany(
    'charges',
    stored.map(({ _id, chargeIds }) => ({
      id: chargeIds[0] ?? '',
      where: { state: 'started', transactionId: _id },
      change: { set: { state: 'sent', updatedAt: ctx.clock() } },
    })),
  );
  const lost = stored.filter((_, index) => won[index] !== true).map(({ _id }) => _id);
  if (lost.length > 0) {
    ctx.log.warn(
      { chainId: ctx.chainId, transactions: lost },
      'another process took these charges over; their transactions are not sent here',
    );
  }
  return stored.filter((_, index) => won[index] === true);
}
