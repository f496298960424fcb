import { useState } from 'preact/hooks';
import type { AccountView, KeyRow, NewKey } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { RoleNote } from '../access/role-note.tsx';
import { useStaffRole } from '../access/session.ts';
import { ENVIRONMENT, useConfirm } from '../shared/use-confirm.ts';
import { momentText } from '../shared/words.ts';
import { NewKeys, type ShownKey } from './new-keys.tsx';

/** The keys of a merchant, without the keys themselves. */
export function KeysPanel({ seen, reload }: { readonly seen: AccountView; readonly reload: () => void }) {
  const may = useStaffRole() === 'admin';
  const { confirm, dialog } = useConfirm();
  const [issued, setIssued] = useState<ShownKey | null>(null);
  const issue = () =>
    confirm<NewKey>({
      title: 'Issue a key',
      what: `A new key of ${seen.name}. It is shown only once. The other keys stay in force.`,
      path: `/merchants/${seen.id}/keys`,
      fields: [ENVIRONMENT],
      onDone: ({ mode, key }) => {
        setIssued({ name: `${mode} key`, key });
        reload();
      },
    });
  const revoke = ({ id, mode, hint }: KeyRow) =>
    confirm({
      title: 'Revoke',
      isDanger: true,
      what: `The ${mode} key …${hint} gets 401 from now on. It cannot be put into force again.`,
      path: `/merchants/${seen.id}/keys/${id}`,
      method: 'DELETE',
      onDone: reload,
    });
  const actions = (key: KeyRow) =>
    key.revokedAt === null && (
      <Button
        size="small"
        variant="danger"
        disabled={!may}
        label={`Revoke the ${key.mode} key …${key.hint}`}
        onClick={() => revoke(key)}
      >
        Revoke
      </Button>
    );
  const issueButton = (
    <Button size="small" disabled={!may} onClick={issue}>
      Issue a key
    </Button>
  );
  return (
    <>
      {issued !== null && <NewKeys keys={[issued]} onStored={() => setIssued(null)} />}
      <Panel title="Keys" beside={issueButton}>
        <RoleNote needs="admin" />
        <Table
          caption="Keys"
          rows={seen.keys}
          keyOf={({ id }) => id}
          columns={{
            Key: ({ hint }) => <code>…{hint}</code>,
            Environment: ({ mode }) => mode,
            Issued: ({ createdAt }) => momentText(createdAt),
            Status: KeyStatus,
            Actions: actions,
          }}
        />
        {dialog}
      </Panel>
    </>
  );
}

function KeyStatus({ revokedAt }: KeyRow) {
  if (revokedAt === null) return <Badge tone="good">in force</Badge>;
  return (
    <>
      <Badge>revoked</Badge>
      <div class="small soft">{momentText(revokedAt)}</div>
    </>
  );
}
