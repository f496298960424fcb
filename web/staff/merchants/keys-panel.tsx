import { useState } from 'preact/hooks';
import type { AccountView, KeyRow, NewKey } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Table } from '../../ui/table.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { RoleNote } from '../access/role-note.tsx';
import { mayAdminister, session } from '../access/session.ts';
import { ConfirmDialog, ENVIRONMENT } from '../shared/confirm-dialog.tsx';
import { momentText } from '../shared/words.ts';
import { NewKeys, type ShownKey } from './new-keys.tsx';

/** The keys of a merchant, without the keys themselves. */
export function KeysPanel({ seen, reload }: { readonly seen: AccountView; readonly reload: () => void }) {
  const may = useSelector(session, mayAdminister);
  const [isIssuing, setIssuing] = useState(false);
  const [revoked, setRevoked] = useState<KeyRow | null>(null);
  const [issued, setIssued] = useState<ShownKey | null>(null);
  const done = ({ mode, key }: NewKey) => {
    setIssued({ name: `${mode} key`, key });
    reload();
  };
  return (
    <>
      {issued !== null && <NewKeys keys={[issued]} onStored={() => setIssued(null)} />}
      <section class="card stack" aria-labelledby="keys">
        <div class="spread">
          <h2 id="keys">Keys</h2>
          <Button size="small" disabled={!may} onClick={() => setIssuing(true)}>
            Issue a key
          </Button>
        </div>
        {!may && <RoleNote needs="admin" />}
        <Table
          caption="Keys"
          rows={seen.keys}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Key', cell: ({ hint }) => <code>…{hint}</code> },
            { title: 'Environment', cell: ({ mode }) => mode },
            { title: 'Issued', cell: ({ createdAt }) => momentText(createdAt) },
            {
              title: 'Status',
              cell: ({ revokedAt }) =>
                revokedAt === null ? (
                  <Badge tone="good">in force</Badge>
                ) : (
                  <>
                    <Badge>revoked</Badge>
                    <div class="small soft">{momentText(revokedAt)}</div>
                  </>
                ),
            },
            {
              title: 'Actions',
              cell: (key) =>
                key.revokedAt === null && (
                  <Button
                    size="small"
                    variant="danger"
                    disabled={!may}
                    label={`Revoke the ${key.mode} key …${key.hint}`}
                    onClick={() => setRevoked(key)}
                  >
                    Revoke
                  </Button>
                ),
            },
          ]}
        />
      </section>
      {isIssuing && (
        <ConfirmDialog<NewKey>
          title="Issue a key"
          isDanger={false}
          what={`A new key of ${seen.name}. It is shown only once. The other keys stay in force.`}
          path={`/merchants/${seen.id}/keys`}
          fields={[ENVIRONMENT]}
          onClose={() => setIssuing(false)}
          onDone={done}
        />
      )}
      {revoked !== null && (
        <ConfirmDialog
          title="Revoke"
          isDanger
          what={`The ${revoked.mode} key …${revoked.hint} gets 401 from now on. It cannot be put into force again.`}
          path={`/merchants/${seen.id}/keys/${revoked.id}`}
          method="DELETE"
          onClose={() => setRevoked(null)}
          onDone={reload}
        />
      )}
    </>
  );
}
