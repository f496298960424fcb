import { useStaffRole } from './session.ts';

/** Why the buttons do not react. */
export function RoleNote({
  what = 'Changes need',
  needs,
}: {
  readonly what?: string;
  readonly needs: 'act' | 'admin';
}) {
  const role = useStaffRole();
  if (role === 'admin' || role === needs) return null;
  return (
    <p class="small soft">
      Your role is {role}. {what} the role {needs}.
    </p>
  );
}
