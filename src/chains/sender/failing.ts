import type { Troubles } from '../troubles.ts';

/** One or two failures in a row are a database that was away for a moment. */
const TOLD_FROM = 3;

/**
 * A lane has failed so often in a row, for a reason that nobody knows in advance: from the third time on that is a trouble of
 * its chain, under the name of the lane's lease, until it has gone on.
 */
export function noteFailing(troubles: Troubles, lease: string, sender: string, failures: number): void {
  if (failures >= TOLD_FROM) troubles.set(lease, `sender ${sender} fails again and again; the log says why`);
}
