import type { DepositArrival, DepositDoc, StaffEntryDoc } from '../../store/collections.ts';
import type { RecordStore } from '../../store/port.ts';
import { isByBalance } from './allocate.ts';

export interface BookDeps {
  readonly records: RecordStore;
  readonly clock: () => Date;
}

/** What one change of the deposits of a payment sets. */
export interface BookChange {
  readonly arrivals?: readonly DepositArrival[];
  readonly since?: number | null;
  readonly others?: readonly string[];
  readonly staffEntry?: StaffEntryDoc;
}

/** How often a change is worked out again because another was faster. */
const ATTEMPTS_MAX = 32;

/**
 * Changes the deposits of a payment by one conditional write, worked out again for as long as others are faster. `decide`
 * gives what is to change, or null for nothing. Resolves with what is stored then; null: nobody waits for a deposit there.
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
  throw new Error(`deposits of ${paymentId}: lost ${ATTEMPTS_MAX} times to others`);
}

/** What has arrived of the payment's own token and is deep enough to count, base units. */
export function confirmedOf({ arrivals, token }: Pick<DepositDoc, 'arrivals' | 'token'>): bigint {
  return arrivals
    .filter((each) => each.token === token && !isByBalance(each))
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}
