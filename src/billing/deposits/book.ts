import type { DepositArrival, DepositDoc, StaffEntryDoc } from '../../store/collections.ts';
import type { RecordStore } from '../../store/port.ts';

export interface BookDeps {
  readonly records: RecordStore;
  readonly clock: () => Date;
}

/** The fields that a change of a payment's deposits sets. */
export interface BookChange {
  readonly arrivals?: readonly DepositArrival[];
  readonly refundWallet?: string;
  readonly since?: number | null;
  readonly others?: readonly string[];
  readonly staffEntry?: StaffEntryDoc;
}

/** How often a change is tried while others win. */
const ATTEMPTS_MAX = 32;

/**
 * Changes a payment's deposits by one conditional write, and tries again while others win. `decide` returns the change,
 * or null for none. Resolves with the stored document; null: the payment has no deposit.
 */
export async function changeBook(
  { records, clock }: BookDeps,
  paymentId: string,
  decide: (doc: DepositDoc) => BookChange | null | Promise<BookChange | null>,
): Promise<DepositDoc | null> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const [doc] = await records.get('deposits', [paymentId]);
    if (doc === undefined) return null;
    const change = await decide(doc);
    if (change === null) return doc;
    const now = clock();
    const isHeld = (change.arrivals ?? doc.arrivals).some(({ fate }) => fate === 'held');
    const heldAt = isHeld ? (doc.heldAt ?? now) : null;
    const set = { ...change, heldAt, rev: doc.rev + 1, updatedAt: now };
    const stored = await records.change('deposits', paymentId, { rev: doc.rev }, { set });
    if (stored !== null) return stored;
  }
  throw new Error(`deposits of ${paymentId}: not changed; others changed them first in all ${ATTEMPTS_MAX} attempts`);
}
