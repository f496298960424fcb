import type { StaffOrder } from '../../src/billing/administration/staff-journal.ts';
import { isStaffName, STAFF_NAME_RULE, staffHand } from '../../src/billing/administration/staff-tokens.ts';
import { UsageError } from '../lib/script.ts';

interface OrderFlags {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

/** Who does it and why, for the staff journal. Throws a UsageError. */
export function orderOf({ by, reason }: OrderFlags): StaffOrder {
  if (by === undefined) throw new UsageError('--by is missing: who does it, for the staff journal');
  if (!isStaffName(by)) throw new UsageError(`--by ${by}: expected ${STAFF_NAME_RULE}`);
  if (reason === undefined || reason.trim() === '')
    throw new UsageError('--reason is missing: why, for the staff journal');
  return { by: staffHand(by), reason: reason.trim() };
}
