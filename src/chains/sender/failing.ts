import type { ChainContext } from '../context.ts';
import { NodeUnreachable } from '../rpc.ts';
import { Blocked, type Troubles } from '../troubles.ts';
import { type FeeBalance, OutOfGas } from './gas.ts';

/** One or two failures in a row are a database that was away for a moment. */
const TOLD_FROM = 3;

/**
 * A signing queue has failed so often in a row, for a reason that nobody knows in advance: from the third time on that is a trouble of
 * its chain, under the name of the signing queue's lease, until it has gone on.
 */
export function noteFailing(troubles: Troubles, lease: string, sender: string, failures: number): void {
  if (failures >= TOLD_FROM) troubles.set(lease, `sender ${sender} fails again and again; the log says why`);
}

export interface FailingQueue {
  readonly lease: string;
  readonly feeBalance: FeeBalance;
}

/**
 * Logs the reason for which a signing queue waits, if it is a known one: a node that does not answer, fees, or something else
 * that has to change first. False: the reason is unknown, and nothing was logged.
 */
export function saidWhatIsMissing(ctx: ChainContext, { lease, feeBalance }: FailingQueue, error: unknown): boolean {
  if (error instanceof NodeUnreachable) return true;
  if (error instanceof OutOfGas) {
    feeBalance.short(error);
    return true;
  }
  if (!(error instanceof Blocked)) return false;
  const { troubles, log, chainId } = ctx;
  if (troubles.set(lease, error.message))
    log.warn({ chainId, sender: feeBalance.address, error: error.message }, 'signing queue waits');
  return true;
}
