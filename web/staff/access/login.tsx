import { useState } from 'preact/hooks';
import type { Session } from '../../../src/staff/wire.ts';
import { ApiError } from '../../ui/api-error.ts';
import { Field } from '../../ui/field.tsx';
import { ActionForm } from '../../ui/form.tsx';
import { post } from '../api.ts';
import { useStaffTitle } from '../shared/resource-page.tsx';
import { notifyTabs, session } from './session.ts';

/** Asks for a staff token. It is sent to the service once, and the page does not keep it. */
export function Login() {
  useStaffTitle('Sign in');
  const [token, setToken] = useState('');
  const open = async () => {
    const who = await post<Session>('/session', { token: token.trim() }).catch((error) => {
      throw error instanceof ApiError && error.status === 401 ? new Error('No staff member has this token.') : error;
    });
    session.trigger.opened({ who });
    notifyTabs();
  };
  return (
    <main class="login">
      <ActionForm class="card stack" action="Open the console" run={open}>
        <h1>Tideline staff</h1>
        <Field
          label="Staff token"
          type="password"
          value={token}
          onInput={setToken}
          required
          hint="To get your own token: npm run ops -- staff add NAME --role read. The journal shows its name. The service also prints a shared one at its first start."
        />
      </ActionForm>
    </main>
  );
}
