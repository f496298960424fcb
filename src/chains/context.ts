import { messageOf } from '../errors/message-of.ts';
import type { Log } from '../observability/log.ts';
import type { Leases } from '../store/leases.ts';
import type { LedgerRecords } from '../store/port.ts';
import type { ChargeListener } from './port.ts';
import type { Reverts } from './reverts.ts';
import type { ChainTiming } from './timing.ts';
import type { Troubles } from './troubles.ts';

/** The points between two steps at which a test can kill, fail or delay this process. */
export type ChainFaultPoint =
  | 'sender.started.after'
  | 'sender.stored.before'
  | 'sender.stored.after'
  | 'sender.broadcast.after'
  | 'keeper.stored.before'
  | 'keeper.stored.after'
  | 'reconciler.notify.before'
  | 'reconciler.notify.after';

/** The dependencies that all parts of one chain share, in every family. */
export interface ChainContext {
  readonly chainId: number;
  readonly records: LedgerRecords;
  readonly listener: ChargeListener;
  readonly leases: Leases;
  readonly troubles: Troubles;
  readonly reverts: Reverts;
  readonly timing: ChainTiming;
  readonly clock: () => Date;
  /** A fresh id for a transaction. */
  readonly newId: () => string;
  readonly fault: (point: ChainFaultPoint, detail?: string) => Promise<void>;
  readonly log: Log;
  /** Wakes the reconciler in `inMs` milliseconds: transactions are due then. */
  readonly wakeReconciler: (inMs: number) => void;
  /** Wakes the signing queues: charges wait, or more transactions may be sent. */
  readonly wakeQueues: () => void;
}

/** The moment `ms` from now. */
export function later(ctx: Pick<ChainContext, 'clock'>, ms: number): Date {
  return new Date(ctx.clock().getTime() + ms);
}

/** Gives a lease back at the end. If that fails, others wait a little, until the lease expires. */
export async function giveBack(ctx: Pick<ChainContext, 'leases' | 'log' | 'chainId'>, lease: string): Promise<void> {
  await ctx.leases.release(lease).catch((error: unknown) => {
    ctx.log.warn(
      { chainId: ctx.chainId, lease, error: messageOf(error) },
      'could not give the lease back; others wait until it expires',
    );
  });
}
