import { useQuestion } from '../../ui/action-dialog.tsx';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { messageOf } from '../../ui/message-of.ts';
import { toast } from '../../ui/toast.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { remove } from '../dashboard-api.ts';
import { notifyTabs, session } from './session.ts';

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
export function WayBack({ merchantId, name }: { readonly merchantId: string; readonly name: string }) {
  return (
    <>
      Without one, another admin of your team makes you a new link: Settings, People, New link. If there is no other
      admin, the operator of this service makes one:{' '}
      <code>{`npm run ops -- merchant invite ${merchantId} --name ${JSON.stringify(name)}`}</code>
    </>
  );
}
