import { useState } from 'preact/hooks';
import type { DashboardSession } from '../../../src/dashboard/wire.ts';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/message-of.ts';
import { Notice } from '../../ui/notice.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { dashboardApi } from '../dashboard-api.ts';
import { askPasskey } from './passkey.ts';
import { notifyTabs, session } from './session.ts';

export interface SignInProps {
  /** The token of an invitation; null: the page was opened without one. */
  readonly invitation: string | null;
  readonly hasPasskeys: boolean;
  /** A session has ended while the page was open. */
  readonly wasOpen: boolean;
}

/** Signs in with the link of an invitation, which works once, or with a passkey. */
export function SignIn({ invitation, hasPasskeys, wasOpen }: SignInProps) {
  useTitle('Sign in', 'Tideline dashboard');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const signIn = async (open: () => Promise<{ readonly session: DashboardSession }>) => {
    setBusy(true);
    setProblem(null);
    try {
      session.trigger.opened(await open());
      notifyTabs();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="login">
      <div class="card stack">
        <h1>Tideline dashboard</h1>
        {wasOpen && <Notice>You were signed out. A session lasts twelve hours.</Notice>}
        {problem !== null && <Notice tone="bad" title={problem} isStep />}
        {invitation !== null && (
          <Button variant="primary" busy={isBusy} onClick={() => void signIn(() => openInvitation(invitation))}>
            Open the dashboard
          </Button>
        )}
        {hasPasskeys && (
          <Button
            variant={invitation === null ? 'primary' : 'plain'}
            busy={isBusy}
            onClick={() => void signIn(signInWithPasskey)}
          >
            Sign in with a passkey
          </Button>
        )}
        {invitation === null && (
          <p class="soft">
            No passkey yet? An admin of your team sends you a link under Settings. The first link of a merchant comes
            from the service: <code>npm run ops -- merchant invite</code>.
          </p>
        )}
      </div>
    </main>
  );
}

function openInvitation(token: string): Promise<{ readonly session: DashboardSession }> {
  return dashboardApi('/session/invitation', { method: 'POST', body: { token } });
}

async function signInWithPasskey(): Promise<{ readonly session: DashboardSession }> {
  const { options } = await dashboardApi<{ options: PublicKeyCredentialRequestOptionsJSON }>('/session/challenges', {
    method: 'POST',
    body: {},
  });
  return dashboardApi('/session', { method: 'POST', body: await askPasskey(options) });
}
