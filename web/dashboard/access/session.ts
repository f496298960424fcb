import type { DashboardSession, MemberRole } from '../../../src/dashboard/wire.ts';
import { createSession } from '../../ui/session.ts';
import { useSelector } from '../../ui/use-selector.ts';

export const { session, useAnswer, notifyTabs } = createSession<DashboardSession>('tideline-dashboard-session');

const RANK: { readonly [R in MemberRole]: number } = { viewer: 0, member: 1, admin: 2 };

/** True if the member has this role or a higher one: a page shows no action that the service would refuse. */
export function useRole(role: MemberRole): boolean {
  return useSelector(session, ({ who }) => who !== null && RANK[who.member.role] >= RANK[role]);
}
