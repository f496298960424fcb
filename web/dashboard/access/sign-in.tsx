import type { DashboardSession, DashboardSessionState } from '../../../src/dashboard/wire.ts';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { messageOf } from '../../ui/message-of.ts';
import { Notice, toast } from '../../ui/notice.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useSelector } from '../../ui/use-selector.ts';
import { useTitle } from '../../ui/use-title.ts';
import { notifyTabs, post, remove, session, useLoad } from '../dashboard-api.ts';
import { makePasskey, type NewPasskeyOptions } from './passkey.ts';
import { answerWithPasskey, withProof } from './proof.ts';

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

async function signOut(): Promise<void> {
  await remove('/session');
  session.trigger.left();
  notifyTabs();
}

/** Ends the session; a member without a passkey reads first how they come back. */
export function SignOut(look: Pick<ButtonProps, 'variant' | 'size' | 'children'>) {
  const { ask, dialog } = useQuestion();
  const who = useSelector(session, (context) => context.who);
  const leave = () => {
    if (who === null || who.passkeys.length > 0) {
      signOut().catch((error: unknown) => toast(messageOf(error)));
      return;
    }
    ask({
      title: 'Sign out without a passkey?',
      action: 'Sign out',
      isDanger: true,
      text: (
        <>
          Your link worked once, so you cannot come back with it. Go back, and add a passkey under Settings.{' '}
          <WayBack merchantId={who.merchant.id} name={who.member.name} />
        </>
      ),
      run: signOut,
    });
  };
  return (
    <>
      <Button {...look} onClick={leave} />
      {dialog}
    </>
  );
}

/** For a member who has no passkey, or has lost it. */
function WayBack({ merchantId, name }: { readonly merchantId: string; readonly name: string }) {
  return (
    <>
      Without one, another admin of your team makes you a new link: Settings, People, New link. If there is no other
      admin, the operator of this service makes one:{' '}
      <code>{`npm run ops -- merchant invite ${merchantId} --name ${JSON.stringify(name)}`}</code>
    </>
  );
}

/** Whether browsers make passkeys for this address of the service; null: not known yet. */
export function useHasPasskeys(): boolean | null {
  return useLoad<DashboardSessionState>('/session').value?.hasPasskeys ?? null;
}

/** Makes a passkey for the member on this device. */
export function AddPasskey(look: Pick<ButtonProps, 'variant'>) {
  const { isBusy, problem, act } = useAction();
  const hasPasskeys = useHasPasskeys();
  const add = async () => {
    session.trigger.opened({ who: await withProof(addPasskey) });
    toast('The passkey is added.', 'good');
  };
  if (hasPasskeys === null) return null;
  if (!hasPasskeys)
    return (
      <p class="soft">
        Browsers make no passkey for this address of the service: they need a name and https, or localhost.
      </p>
    );
  return (
    <>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <div>
        <Button {...look} busy={isBusy} onClick={() => void act(add)}>
          Add a passkey
        </Button>
      </div>
    </>
  );
}

async function addPasskey(): Promise<DashboardSession> {
  const { options } = await post<{ options: NewPasskeyOptions }>('/passkeys/challenges');
  return post('/passkeys', await makePasskey(options));
}
