import { z } from 'zod';
import type { StaffOrder } from '../billing/administration/staff-journal.ts';
import { endpointFor } from '../http/endpoint.ts';
import { name } from '../http/input/fields.ts';
import type { StaffRole } from '../store/collections.ts';

export interface StaffCaller {
  /** As in the journal: `staff`, or `staff:NAME`. */
  readonly by: string;
  readonly role: StaffRole;
}

export const staffEndpoint = endpointFor<StaffCaller>();

/** A caller who may open or end a staff session. */
export interface StaffVisitor {
  /** The value of the session cookie; null: none. */
  readonly session: string | null;
  /** The member of the staff; null: nobody, or not checked. */
  readonly who: StaffCaller | null;
}

/** An endpoint of the staff API that opens or ends a session. */
export const staffSessionEndpoint = endpointFor<StaffVisitor>();

/** What the journal keeps of a change: who made it, and why. */
export function orderOf({ caller, body }: { caller: StaffCaller; body: { reason: string } }): StaffOrder {
  return { by: caller.by, reason: body.reason };
}

/** The reason of staff: every change needs one, and the journal keeps it. */
export const reason = name(500);

export const ofMerchant = z.object({ merchantId: z.string() });
