import type { StaffOrder } from '../billing/administration/staff-journal.ts';
import type { DashboardCaller } from './endpoint.ts';

/** A change of the account by a person of the merchant, for its journal. */
export function orderOf({ session: { member } }: DashboardCaller): StaffOrder {
  return { by: `member:${member.name}`, reason: 'In the dashboard' };
}
