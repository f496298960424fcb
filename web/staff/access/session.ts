import type { Session } from '../../../src/staff/wire.ts';
import { createSession } from '../../ui/session.ts';
import { useSelector } from '../../ui/use-selector.ts';

export const { session, useAnswer, notifyTabs } = createSession<Session>('tideline-staff-session');

/** Whether the user may do what needs this role. */
export function useMay(needs: 'act' | 'admin'): boolean {
  const role = useStaffRole();
  return role === 'admin' || role === needs;
}

/** The role of the user; `read` if nobody has signed in. */
export function useStaffRole(): Session['role'] {
  return useSelector(session, ({ who }) => who?.role ?? 'read');
}
