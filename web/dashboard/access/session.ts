import { createStore } from '@xstate/store';
import type { DashboardSession, MemberRole } from '../../../src/dashboard/wire.ts';
import { sessionTabs } from '../../ui/session-tabs.ts';

interface Context {
  /** `unknown`: not checked yet. */
  readonly status: 'unknown' | 'open' | 'none';
  readonly session: DashboardSession | null;
  /** True: a session has ended while the page was open. */
  readonly wasOpen: boolean;
}

/** The member who has signed in. The page cannot read the cookie. */
export const session = createStore({
  context: { status: 'unknown', session: null, wasOpen: false } as Context,
  on: {
    opened: (_, { session: opened }: { session: DashboardSession }): Context => ({
      status: 'open',
      session: opened,
      wasOpen: false,
    }),
    ended: ({ session: before }): Context => ({ status: 'none', session: null, wasOpen: before !== null }),
    left: (): Context => ({ status: 'none', session: null, wasOpen: false }),
  },
});

const RANK: { readonly [R in MemberRole]: number } = { viewer: 0, member: 1, admin: 2 };

/** True if the member has this role or a higher one. The service refuses others anyway. */
export function hasRole(context: Pick<Context, 'session'>, role: MemberRole): boolean {
  return context.session !== null && RANK[context.session.member.role] >= RANK[role];
}

export const { notifyTabs, onOtherTab } = sessionTabs('tideline-dashboard-session');
