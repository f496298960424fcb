import type { ChainContext } from '../context.ts';
import { NodeUnreachable } from '../rpc.ts';
import { Blocked, type Troubles } from '../troubles.ts';
import { type FeeBalance, OutOfGas } from './gas.ts';

/** One or two failures in a row are usually a database that was away for a moment. */
const REPORTED_FROM = 3;

/**
 * Reports a signing queue that fails for an unknown reason. From the third failure in a row this is a trouble of its
 * chain, under the name of the queue's lease, until a run succeeds.
 */
export function noteFailing(troubles: Troubles, lease: string, sender: string, failures: number): void {
  if (failures >= REPORTED_FROM) troubles.set(lease, `sender ${sender} fails again and again; the log says why`);
}

export interface FailingQueue {
  readonly lease: string;
  readonly feeBalance: FeeBalance;
}

/**
 * Logs why a signing queue waits, if the reason is known: a node that does not answer, missing fees, or something else
 * that has to change first. False: the reason is unknown, and nothing was logged.
 */
export function logKnownReason(ctx: ChainContext, { lease, feeBalance }: FailingQueue, error: unknown): boolean {
  if (error instanceof NodeUnreachable) return true;
  if (error instanceof OutOfGas) {
    feeBalance.short(error);
    return true;
  }
  if (!(error instanceof Blocked)) return false;
  const { troubles, log, chainId } = ctx;
  if (troubles.set(lease, error.message))
    log.warn({ chainId, sender: feeBalance.address, error: error.message }, 'signing queue waits until this changes');
  return true;
}
