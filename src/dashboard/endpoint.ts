import type { StaffOrder } from '../billing/administration/staff-journal.ts';
import type { MemberSession } from '../billing/members/sessions.ts';
import { endpointFor } from '../http/endpoint.ts';
import type { SessionCookie } from '../http/session-cookie.ts';

/** Only the dashboard and its API receive it. */
export const DASHBOARD_COOKIE: SessionCookie = { name: 'tideline_dashboard', path: '/dashboard' };

/** A change with a session needs this header. */
export const DASHBOARD_HEADER = 'X-Dashboard-Request';

/** The caller of the dashboard: a member of a merchant who has signed in. */
export interface DashboardCaller {
  readonly session: MemberSession;
  /** The network address of the request: of IPv6 its /64. */
  readonly from: string;
}

/** A change of the account by a person of the merchant, for its journal. */
export function orderOf({ session: { member }, from }: DashboardCaller): StaffOrder {
  return { by: `member:${member.name}`, from, reason: 'In the dashboard' };
}

export const dashboardEndpoint = endpointFor<DashboardCaller>();

/** A caller who may open or end a session of the dashboard. */
export interface DashboardVisitor {
  /** The value of the session cookie; null: none. */
  readonly secret: string | null;
  /** null: none is open. */
  readonly session: MemberSession | null;
}

/** An endpoint of the dashboard that opens or ends a session. */
export const dashboardSessionEndpoint = endpointFor<DashboardVisitor>();
