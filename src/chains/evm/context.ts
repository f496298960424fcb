import type { RecordStore } from '../../store/port.ts';
import type { Leases } from '../leases.ts';
import type { Log } from '../log.ts';
import type { ChargeListener } from '../port.ts';
import type { AllowanceReader } from './allowances.ts';
import type { EvmLink } from './link.ts';
import type { EvmSizes, EvmTiming } from './options.ts';
import type { Troubles } from './troubles.ts';

/** The points between two steps at which a test may make this process die, fail or wait. */
export type EvmFaultPoint =
  | 'sender.started.after'
  | 'sender.stored.before'
  | 'sender.stored.after'
  | 'sender.broadcast.after'
  | 'reconciler.told.before'
  | 'reconciler.told.after';

/** What the parts of one EVM chain share. */
export interface EvmContext {
  readonly chainId: number;
  /** Blocks, its own included, that make a transaction final. */
  readonly confirmations: number;
  readonly records: RecordStore;
  readonly listener: ChargeListener;
  readonly link: EvmLink;
  readonly allowances: AllowanceReader;
  readonly leases: Leases;
  readonly troubles: Troubles;
  readonly timing: EvmTiming;
  readonly sizes: EvmSizes;
  readonly clock: () => Date;
  /** A fresh id for a transaction. */
  readonly newId: () => string;
  readonly fault: (point: EvmFaultPoint, detail?: string) => Promise<void>;
  readonly log: Log;
  /** Transactions are to be asked about in `inMs`. */
  readonly pokeReconciler: (inMs: number) => void;
  /** There is something to charge, or room for it again. */
  readonly pokeLanes: () => void;
}

/** The moment `ms` from now. */
export function later(ctx: Pick<EvmContext, 'clock'>, ms: number): Date {
  return new Date(ctx.clock().getTime() + ms);
}

/** The text of an error for a log line. Errors of this folder hold no URL, no key and no signed bytes. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Gives a lease back at the end. What fails costs others a short wait and nothing else. */
export async function giveBack(ctx: Pick<EvmContext, 'leases' | 'log' | 'chainId'>, lease: string): Promise<void> {
  await ctx.leases.release(lease).catch((error: unknown) => {
    ctx.log.warn({ chainId: ctx.chainId, lease, error: messageOf(error) }, 'lease not given back; it runs out');
  });
}
