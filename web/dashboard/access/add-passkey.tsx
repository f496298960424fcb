import type { DashboardSession, DashboardSessionState } from '../../../src/dashboard/wire.ts';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { post, useLoad } from '../dashboard-api.ts';
import { makePasskey, type NewPasskeyOptions } from './passkey.ts';
import { withProof } from './proof.ts';
import { session } from './session.ts';

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
