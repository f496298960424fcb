import type { DashboardSession, Passkey } from '../../../src/dashboard/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useSelector } from '../../ui/use-selector.ts';
import { AddPasskey } from '../access/add-passkey.tsx';
import { withProof } from '../access/proof.ts';
import { session } from '../access/session.ts';
import { remove } from '../dashboard-api.ts';
import { momentText } from '../shared/moment.tsx';

/** The member's own passkeys, with which they sign in again. */
export function PasskeysPanel() {
  const own = useSelector(session, ({ who }) => who?.passkeys ?? []);
  const { isBusy, problem, act } = useAction();
  const removeOne = (id: Passkey['id']) =>
    void act(async () => {
      session.trigger.opened({ who: await withProof(() => remove<DashboardSession>(`/passkeys/${id}`)) });
      toast('The passkey is removed.', 'good');
    });
  return (
    <Panel title="My passkeys">
      <Table
        caption="Passkeys with which you sign in"
        rows={own}
        keyOf={({ id }) => id}
        empty="You have none. Add one within ten minutes of opening a link; without one you need a new link each time."
        columns={{
          Made: ({ createdAt }) => momentText(createdAt),
          Actions: ({ id, createdAt }) => (
            <Button
              size="small"
              variant="danger"
              label={`Remove the passkey of ${momentText(createdAt)}`}
              busy={isBusy}
              onClick={() => removeOne(id)}
            >
              Remove
            </Button>
          ),
        }}
      />
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <AddPasskey />
    </Panel>
  );
}
