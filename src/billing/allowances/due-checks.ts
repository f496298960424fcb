import { DUE_LEASE_MS, DueActors } from '../../engine/due.ts';
import { SCAN_MAX } from '../../engine/scanner.ts';
import type { AllowanceChangesDoc, Collections } from '../../store/collections.ts';
import { storeLeases } from '../../store/leases.ts';
import type { Workers } from '../../store/workers.ts';
import type { BillingDeps } from '../deps.ts';

/** The most changed allowances per pass, except that a pass handles all that were reported together. */
const CHANGES_MAX = 250;

/** Checks due documents, at once those `ofOnePass`. Workers share them as they share due actors. */
export function dueChecks<C extends 'allowanceChanges' | 'watches'>(
  { store: { records }, clock, workers }: Pick<BillingDeps, 'store' | 'clock'> & { readonly workers: Workers },
  ofOnePass: (docs: readonly Collections[C][]) => readonly Collections[C][],
  check: (docs: readonly Collections[C][]) => Promise<void>,
): DueActors<C, Collections[C]> {
  return new DueActors<C, Collections[C]>({
    scanner: {
      due: (from, partitions) => {
        const where = { partition: { in: partitions }, lookAt: { lte: clock() } };
        return records.find(from, { where, sort: [['lookAt', 1]], limit: SCAN_MAX });
      },
    },
    leases: storeLeases({ records, workers, leaseMs: DUE_LEASE_MS, clock }),
    workers,
    // A worker that is alone would only pay for leases: it checks one chain at a time anyway.
    isFull: (docs) => workers.count > 1 && (docs.length === SCAN_MAX || ofOnePass(docs).length < docs.length),
    admit: async (docs) => ({ docs: ofOnePass(docs) }),
    dispatch: check,
  });
}

/** The first document, and those after it that still fit into the pass. */
export function changesOfOnePass(docs: readonly AllowanceChangesDoc[]): readonly AllowanceChangesDoc[] {
  let count = 0;
  const end = docs.findIndex(({ changes }, index) => {
    count += changes.length;
    return index > 0 && count > CHANGES_MAX;
  });
  return end < 0 ? docs : docs.slice(0, end);
}
