import type { DashboardSession } from '../../../src/dashboard/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useTitle } from '../../ui/use-title.ts';
import { post } from '../dashboard-api.ts';
import { answerWithPasskey } from './proof.ts';
import { notifyTabs, session } from './session.ts';
import { WayBack } from './sign-out.tsx';

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
  const { isBusy, problem, act } = useAction();
  const signIn = (open: () => Promise<DashboardSession>) =>
    act(async () => {
      session.trigger.opened({ who: await open() });
      notifyTabs();
    });
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
            onClick={() => void signIn(() => answerWithPasskey('/session'))}
          >
            Sign in with a passkey
          </Button>
        )}
        {invitation === null && (
          <p class="soft">
            You need a passkey or an invitation link. <WayBack merchantId="mrc_…" name="NAME" />
          </p>
        )}
      </div>
    </main>
  );
}

async function openInvitation(token: string): Promise<DashboardSession> {
  return (await post<{ session: DashboardSession }>('/session/invitation', { token })).session;
}
