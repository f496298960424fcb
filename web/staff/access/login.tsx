import { useState } from 'preact/hooks';
import type { Session } from '../../../src/staff/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { useAction } from '../../ui/use-action.ts';
import { post } from '../api.ts';
import { useStaffTitle } from '../shared/resource-page.tsx';
import { notifyTabs, session } from './session.ts';

/** Asks for a staff token. It is sent to the service once, and the page does not keep it. */
export function Login() {
  useStaffTitle('Sign in');
  const [token, setToken] = useState('');
  const { isBusy, problem, act } = useAction();
  const open = async () => {
    session.trigger.opened({ who: await post<Session>('/session', { token: token.trim() }) });
    notifyTabs();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void act(open);
  };
  return (
    <main class="login">
      <form class="card stack" onSubmit={submit}>
        <h1>Tideline staff</h1>
        <Field
          label="Staff token"
          type="password"
          value={token}
          onInput={setToken}
          required
          error={problem === 'Unauthorized' ? 'No staff member has this token.' : problem}
          hint="To get your own token: npm run ops -- staff add NAME --role read. The journal shows its name. The service also prints a shared one at its first start."
        />
        <Button type="submit" variant="primary" busy={isBusy}>
          Open the console
        </Button>
      </form>
    </main>
  );
}
