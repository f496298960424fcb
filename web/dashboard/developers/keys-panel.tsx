import { useState } from 'preact/hooks';
import type { IssuedKey, Key } from '../../../src/dashboard/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { messageOf } from '../../ui/message-of.ts';
import { Notice } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useRole } from '../access/use-role.ts';
import { dashboardApi, useLoad } from '../dashboard-api.ts';
import type { Mode } from '../route.ts';
import { ActionDialog } from '../shared/action-dialog.tsx';
import { momentText } from '../shared/moment-text.ts';
import { Panel } from '../shared/panel.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';

interface Asked {
  readonly what: 'roll' | 'revoke';
  readonly key: Key;
}

/** The API keys of both environments. */
export function KeysPanel() {
  const isAdmin = useRole('admin');
  const loaded = useLoad<{ readonly keys: readonly Key[] }>('/keys');
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const { isBusy, problem, act } = useAction();
  const issue = async (mode: Mode) => {
    setIssued(await dashboardApi<IssuedKey>('/keys', { method: 'POST', body: { mode } }));
    loaded.reload();
  };
  const revoke = async ({ id }: Key) => {
    await dashboardApi<Key>(`/keys/${id}`, { method: 'DELETE' });
    loaded.reload();
  };
  return (
    <Panel title="API keys">
      {loaded.error !== null && <LoadFailed loaded={loaded} />}
      {isAdmin && (
        <div class="row">
          {(['test', 'live'] as const).map((mode) => (
            <Button key={mode} size="small" busy={isBusy} onClick={() => void act(() => issue(mode))}>
              Issue a {mode} key
            </Button>
          ))}
        </div>
      )}
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {issued !== null && (
        <ShownOnce
          what={`${issued.mode} key`}
          text={issued.key}
          warning="Store it now, in your server only: whoever has it can charge your customers. The service keeps only its hash."
          onStored={() => setIssued(null)}
        />
      )}
      {loaded.value !== null && (
        <Table
          caption="API keys of both environments"
          rows={loaded.value.keys}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Key', cell: ({ mode, hint }) => <code>{`tl_${mode}_…${hint}`}</code> },
            { title: 'Issued', cell: ({ createdAt }) => momentText(createdAt) },
            { title: 'State', cell: ({ revokedAt }) => <KeyState revokedAt={revokedAt} /> },
            ...(isAdmin ? [{ title: 'Actions', cell: (key: Key) => <KeyActions shown={key} onAsk={setAsked} /> }] : []),
          ]}
        />
      )}
      {asked?.what === 'roll' && (
        <RollDialog
          rolled={asked.key}
          issue={() => issue(asked.key.mode)}
          revoke={() => revoke(asked.key)}
          onClose={() => setAsked(null)}
        />
      )}
      {asked?.what === 'revoke' && (
        <ActionDialog
          title={`Revoke the key …${asked.key.hint}?`}
          action="Revoke the key"
          isDanger
          run={() => revoke(asked.key)}
          onClose={() => setAsked(null)}
        >
          <p>Each call with it gets 401 from now on. This cannot be undone.</p>
        </ActionDialog>
      )}
    </Panel>
  );
}

function KeyState({ revokedAt }: { readonly revokedAt: string | null }) {
  return revokedAt === null ? <Badge tone="good">valid</Badge> : <Badge>{`revoked ${momentText(revokedAt)}`}</Badge>;
}

function KeyActions({ shown, onAsk }: { readonly shown: Key; readonly onAsk: (asked: Asked) => void }) {
  if (shown.revokedAt !== null) return null;
  return (
    <span class="row">
      <Button size="small" label={`Roll the key ${shown.hint}`} onClick={() => onAsk({ what: 'roll', key: shown })}>
        Roll
      </Button>
      <Button
        size="small"
        variant="danger"
        label={`Revoke the key ${shown.hint}`}
        onClick={() => onAsk({ what: 'revoke', key: shown })}
      >
        Revoke
      </Button>
    </span>
  );
}

interface RollDialogProps {
  readonly rolled: Key;
  readonly issue: () => Promise<void>;
  readonly revoke: () => Promise<void>;
  readonly onClose: () => void;
}

/** The new key comes first: a server must never be without one. */
function RollDialog({ rolled: { hint, mode }, issue, revoke, onClose }: RollDialogProps) {
  const [when, setWhen] = useState('later');
  const roll = async () => {
    await issue();
    // The new key is shown in any case, so a refusal here must not hide it.
    if (when === 'now') await revoke().catch((error) => toast(messageOf(error), 'bad'));
  };
  return (
    <ActionDialog title={`Roll the key …${hint}`} action="Issue the new key" run={roll} onClose={onClose}>
      <p>A new {mode} key replaces this one.</p>
      <Select
        label="The old key"
        value={when}
        onChange={setWhen}
        options={[
          ['later', 'works on; I revoke it when my server has the new one'],
          ['now', 'is revoked now'],
        ]}
      />
    </ActionDialog>
  );
}
