import type { MemberSession } from '../billing/members/sessions.ts';
import { endpointFor } from '../http/endpoint.ts';

/** The caller of the dashboard: a member of a merchant who has signed in. */
export interface DashboardCaller {
  readonly session: MemberSession;
}

/** An endpoint of the dashboard about the account. */
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
