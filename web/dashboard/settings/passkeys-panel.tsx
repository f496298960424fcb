import type { DashboardSession, DashboardSessionState, Passkey } from '../../../src/dashboard/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useSelector } from '../../ui/use-selector.ts';
import { makePasskey, type NewPasskeyOptions } from '../access/passkey.ts';
import { withProof } from '../access/proof.ts';
import { session } from '../access/session.ts';
import { post, remove, useLoad } from '../dashboard-api.ts';
import { momentText } from '../shared/facts.tsx';

/** The member's own passkeys, with which they sign in again. */
export function PasskeysPanel() {
  const own = useSelector(session, ({ who }) => who?.passkeys ?? []);
  const signIn = useLoad<DashboardSessionState>('/session').value;
  const { isBusy, problem, act } = useAction();
  const change = (run: () => Promise<DashboardSession>, done: string) =>
    void act(async () => {
      session.trigger.opened({ who: await withProof(run) });
      toast(done, 'good');
    });
  return (
    <Panel title="My passkeys">
      <Table
        caption="Passkeys with which you sign in"
        rows={own}
        keyOf={({ id }) => id}
        empty="You have none. Add one within ten minutes of opening a link; without one you need a new link each time."
        columns={[
          { title: 'Made', cell: ({ createdAt }) => momentText(createdAt) },
          {
            title: 'Actions',
            cell: ({ id, createdAt }) => (
              <Button
                size="small"
                variant="danger"
                label={`Remove the passkey of ${momentText(createdAt)}`}
                busy={isBusy}
                onClick={() => change(() => removePasskey(id), 'The passkey is removed.')}
              >
                Remove
              </Button>
            ),
          },
        ]}
      />
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {signIn?.hasPasskeys === false && (
        <p class="soft">
          Browsers make no passkey for this address of the service: they need a name and https, or localhost.
        </p>
      )}
      {signIn?.hasPasskeys === true && (
        <div>
          <Button busy={isBusy} onClick={() => change(addPasskey, 'The passkey is added.')}>
            Add a passkey
          </Button>
        </div>
      )}
    </Panel>
  );
}

async function addPasskey(): Promise<DashboardSession> {
  const { options } = await post<{ options: NewPasskeyOptions }>('/passkeys/challenges');
  return post('/passkeys', await makePasskey(options));
}

function removePasskey(id: Passkey['id']): Promise<DashboardSession> {
  return remove(`/passkeys/${id}`);
}
