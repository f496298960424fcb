import { useSelector } from '../../ui/use-selector.ts';
import { session } from './session.ts';

/** Why the buttons do not react. */
export function RoleNote({ needs }: { readonly needs: 'act' | 'admin' }) {
  const role = useSelector(session, ({ who }) => who?.role ?? 'read');
  return (
    <p class="small soft">
      Your role is {role}. Changes need the role {needs}.
    </p>
  );
}
