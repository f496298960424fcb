import type { BlockRef, ChargeDoc, TransactionDoc } from '../../store/collections.ts';
import { asSeen, hashesOf, notifyOne, waitingAgain } from '../charges.ts';
import { type ChainContext, later } from '../context.ts';
import type { ChargeFact } from '../port.ts';

/** The facts for a charge's payment about a block that made the charge, and the new state of the charge. */
interface ChargedFacts {
  readonly facts: readonly ChargeFact[];
  readonly state: 'mined' | 'final';
}

/**
 * The new facts about a charge that the chain shows as made, in a block of this stage. The chain decides, whatever
 * state the charge is in. Null: the charge is as it should be. No facts: only its block is new, because a final charge
 * was reorged out and has landed again. In another transaction it has moved.
 *
 * A process that was delayed may notify the payment of an older transaction after this one. So a finalized charge that
 * had more than one is notified of its transaction once more.
 */
export function chargedFacts(charge: ChargeDoc, included: Landed): ChargedFacts | null {
  const { transaction, stage, block, txHash } = included;
  const hashes = hashesOf(charge, txHash);
  const wasFinal = charge.state === 'final';
  const isNew = !wasFinal && !(charge.state === 'mined' && charge.block?.hash === block.hash);
  const facts: ChargeFact[] = [];
  if (isNew) facts.push({ kind: 'mined', hashes, block });
  if (stage !== 'mined' && !wasFinal) facts.push({ kind: 'final', hashes, block });
  const hadOthers = transaction.versions.length > 1 || (charge.releases ?? 0) > 0;
  const hasMoved = charge.txHash !== txHash || (stage === 'finalized' && hadOthers);
  if (wasFinal && hasMoved) facts.push({ kind: 'moved', hashes, block });
  if (stage === 'finalized') facts.push({ kind: 'finalized' });
  if (facts.length === 0 && charge.block?.hash === block.hash) return null;
  return { facts, state: wasFinal || stage !== 'mined' ? 'final' : 'mined' };
}

/** How certain a block is: in the chain, deep enough, or never to change again. */
export type Stage = 'mined' | 'final' | 'finalized';

interface Landed {
  readonly transaction: TransactionDoc;
  readonly stage: Stage;
  readonly block: BlockRef;
  readonly txHash: string;
}

export interface IncludedTransaction extends Landed {
  readonly reverted: boolean;
}

/** Stores the blocks of transactions. A transaction that another process has moved meanwhile stays as it is. */
export async function moveTransactions(ctx: ChainContext, included: readonly IncludedTransaction[]): Promise<void> {
  const moved = included.filter(({ transaction, stage, block }) => {
    return transaction.state !== stage || transaction.block?.hash !== block.hash;
  });
  await ctx.records.changeMany(
    'transactions',
    moved.map(({ transaction, stage, block, txHash, reverted }) => ({
      id: transaction._id,
      where: { asked: transaction.asked, state: transaction.state },
      change: {
        set: {
          // A final transaction that landed again stays final while its new block is not deep: nobody is notified.
          state: transaction.state === 'final' && stage === 'mined' ? 'final' : stage,
          block,
          txHash,
          reverted,
          ...(stage === transaction.state ? {} : { asked: 0, askAt: firstAsk(ctx, stage) }),
          ...(stage === 'finalized' ? withoutBytes(transaction) : {}),
          updatedAt: ctx.clock(),
        },
      },
    })),
  );
}

/**
 * A finalized transaction is never sent, replaced or explained again, so only the hashes of its versions stay. Each is
 * named by its index, because another process may have added one meanwhile.
 */
function withoutBytes({ versions }: TransactionDoc): Readonly<Record<string, ''>> {
  return Object.fromEntries(versions.map((_, index) => [`versions.${index}.raw`, '' as const]));
}

function firstAsk(ctx: ChainContext, stage: Stage): Date {
  const { askFirstMs, blockMs, finalizedFirstMs } = ctx.timing;
  return later(ctx, stage === 'mined' ? Math.max(askFirstMs, blockMs) : finalizedFirstMs);
}

/** Lets a charge wait again whose transaction can never land. False: its payment did not take this. */
export async function releaseCharge(ctx: ChainContext, charge: ChargeDoc): Promise<boolean> {
  if (!(await notifyOne(ctx, charge, 'released'))) return false;
  await ctx.records.change('charges', charge._id, asSeen(charge), { set: waitingAgain(charge, ctx.clock()) });
  ctx.wakeQueues();
  return true;
}

/** Ends a final charge that was reorged out for good. False: its payment did not take this, so it is checked again. */
export async function endReorged(ctx: ChainContext, charge: ChargeDoc): Promise<boolean> {
  const { _id: chargeId, txHash, block } = charge;
  ctx.log.error(
    { chainId: ctx.chainId, chargeId, txHash, block },
    'a final charge was reorged out for good; its payment is notified',
  );
  if (!(await notifyOne(ctx, charge, 'reorged'))) return false;
  const set = { state: 'refused', reason: 'reorged', updatedAt: ctx.clock() };
  await ctx.records.change('charges', chargeId, asSeen(charge), { set });
  return true;
}

/** Handles the charges of a transaction that can never land. Each: false if that is not certain yet. */
interface GiveUp {
  /** For a charge that was sent, or in a block. */
  readonly release: (charge: ChargeDoc) => Promise<boolean>;
  /** For a charge that was final. */
  readonly reorg: (charge: ChargeDoc) => Promise<boolean>;
  /** Why the transaction can never land, for the log. */
  readonly why: string;
}

/** Gives up a transaction that can never land, once all of its charges are handled; until then it is checked again. */
export async function giveUpTransaction(
  ctx: ChainContext,
  { transaction, charges }: { readonly transaction: TransactionDoc; readonly charges: readonly ChargeDoc[] },
  { release, reorg, why }: GiveUp,
): Promise<void> {
  for (const charge of charges.filter(({ transactionId }) => transactionId === transaction._id)) {
    // Its signing queue is between storing and sending, and will find the transaction itself.
    if (charge.state === 'started') return;
    if (charge.state === 'final' && !(await reorg(charge))) return;
    if ((charge.state === 'sent' || charge.state === 'mined') && !(await release(charge))) return;
  }
  const { _id, state, asked } = transaction;
  const set = { state: 'expired', updatedAt: ctx.clock() };
  await ctx.records.change('transactions', _id, { state, asked }, { set });
  ctx.log.warn({ chainId: ctx.chainId, transactionId: _id, was: state }, `transaction can never land: ${why}`);
}
