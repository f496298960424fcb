import type { MemberRole } from '../../../src/dashboard/wire.ts';
import { useSelector } from '../../ui/use-selector.ts';
import { hasRole, session } from './session.ts';

/** True if the member has this role or a higher one: a page shows no action that the service would refuse. */
export function useRole(role: MemberRole): boolean {
  return useSelector(session, (context) => hasRole(context, role));
}
