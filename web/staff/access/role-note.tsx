import { useMay, useStaffRole } from './session.ts';

export interface RoleNoteProps {
  readonly what?: string;
  readonly needs: 'act' | 'admin';
}

/** Why the buttons do not react. */
export function RoleNote({ what = 'Changes need', needs }: RoleNoteProps) {
  const role = useStaffRole();
  if (useMay(needs)) return null;
  return (
    <p class="small soft">
      Your role is {role}. {what} the role {needs}.
    </p>
  );
}
