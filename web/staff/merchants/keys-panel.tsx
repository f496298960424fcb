import type { AccountView, KeyRow, NewKey } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { Table } from '../../ui/table.tsx';
import { ENVIRONMENT, type Order, OrderButton, RoleNote } from '../shared/order.tsx';
import { momentText } from '../shared/words.ts';

/** How a new key has to be treated. */
export const KEY_WARNING =
  'Store it now, and hand it over by a safe way. The service keeps only its hash and cannot show it again.';

/** The keys of a merchant, without the keys themselves. */
export function KeysPanel({ seen, reload }: { readonly seen: AccountView; readonly reload: () => void }) {
  const { shown, show } = useShownOnce();
  const issue: Order<NewKey> = {
    title: 'Issue a key',
    what: `A new key of ${seen.name}. It is shown only once. The other keys stay in force.`,
    path: `/merchants/${seen.id}/keys`,
    fields: [ENVIRONMENT],
    onDone: (key) => {
      show({ [`${key.mode} key`]: key.key }, KEY_WARNING);
      reload();
    },
  };
  const revocation = ({ id, mode, hint }: KeyRow): Order => ({
    title: 'Revoke',
    isDanger: true,
    what: `The ${mode} key …${hint} gets 401 from now on. It cannot be put into force again.`,
    path: `/merchants/${seen.id}/keys/${id}`,
    method: 'DELETE',
    onDone: reload,
  });
  return (
    <>
      {shown}
      <Panel title="Keys" beside={<OrderButton needs="admin" order={issue} />}>
        <RoleNote needs="admin" />
        <Table
          caption="Keys"
          rows={seen.keys}
          columns={{
            Key: ({ hint }) => <code>…{hint}</code>,
            Environment: ({ mode }) => mode,
            Issued: ({ createdAt }) => momentText(createdAt),
            Status: KeyStatus,
            Actions: (key) =>
              key.revokedAt === null && (
                <OrderButton needs="admin" label={`Revoke the ${key.mode} key …${key.hint}`} order={revocation(key)} />
              ),
          }}
        />
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
