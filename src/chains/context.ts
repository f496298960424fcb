import { messageOf } from '../errors/message-of.ts';
import type { Log } from '../observability/log.ts';
import type { RecordStore } from '../store/port.ts';
import type { Leases } from './leases.ts';
import type { ChargeListener } from './port.ts';
import type { ChainTiming } from './timing.ts';
import type { Troubles } from './troubles.ts';

/** The points between two steps at which a test may make this process die, fail or wait. */
export type ChainFaultPoint =
  | 'sender.started.after'
  | 'sender.stored.before'
  | 'sender.stored.after'
  | 'sender.broadcast.after'
  | 'keeper.stored.before'
  | 'keeper.stored.after'
  | 'reconciler.notify.before'
  | 'reconciler.notify.after';

/** What the parts of one chain share, whatever its family. */
export interface ChainContext {
  readonly chainId: number;
  readonly records: RecordStore;
  readonly listener: ChargeListener;
  readonly leases: Leases;
  readonly troubles: Troubles;
  readonly timing: ChainTiming;
  readonly clock: () => Date;
  /** A fresh id for a transaction. */
  readonly newId: () => string;
  readonly fault: (point: ChainFaultPoint, detail?: string) => Promise<void>;
  readonly log: Log;
  /** Transactions are to be asked about in `inMs`. */
  readonly wakeReconciler: (inMs: number) => void;
  /** There is something to charge, or room for it again. */
  readonly wakeQueues: () => void;
}

/** The moment `ms` from now. */
export function later(ctx: Pick<ChainContext, 'clock'>, ms: number): Date {
  return new Date(ctx.clock().getTime() + ms);
}

/** Gives a lease back at the end. What fails costs others a short wait and nothing else. */
export async function giveBack(ctx: Pick<ChainContext, 'leases' | 'log' | 'chainId'>, lease: string): Promise<void> {
  await ctx.leases.release(lease).catch((error: unknown) => {
    ctx.log.warn({ chainId: ctx.chainId, lease, error: messageOf(error) }, 'lease not given back; it runs out');
  });
}
