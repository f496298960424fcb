import type { IssuedKey, Key } from '../../../src/dashboard/wire.ts';
import { dateOf } from '../../pay/words.ts';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { messageOf } from '../../ui/message-of.ts';
import { Notice, toast } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { withProof } from '../access/proof.ts';
import { post, remove, useLoad, useRole } from '../dashboard-api.ts';
import type { Mode } from '../route.ts';
import { momentText } from '../shared/moment.tsx';

const KEY_WARNING =
  'Store it now, in your server only: whoever has it can charge your customers. The service keeps only its hash.';

export function KeysPanel({ mode }: { readonly mode: Mode }) {
  const isAdmin = useRole('admin');
  const loaded = useLoad<{ readonly keys: readonly Key[] }>('/keys');
  const { shown, show } = useShownOnce();
  const { ask, askFor, dialog } = useQuestion();
  const { isBusy, problem, act } = useAction();
  const issue = async () => {
    const issued = await withProof(() => post<IssuedKey>('/keys', { mode }));
    show({ [`${issued.mode} key`]: issued.key }, KEY_WARNING);
    loaded.reload();
  };
  const revoke = async ({ id }: Key) => {
    await remove(`/keys/${id}`);
    loaded.reload();
  };
  const askToRevoke = (key: Key) =>
    ask({
      title: `Revoke the key …${key.hint}?`,
      action: 'Revoke the key',
      isDanger: true,
      text: 'Each call with it gets 401 from now on. This cannot be undone.',
      run: () => revoke(key),
    });
  // The new key comes first: a server must never be without one.
  const askToRoll = (key: Key) =>
    askFor({
      title: `Roll the key …${key.hint}`,
      action: 'Issue the new key',
      text: `A new ${mode} key replaces this one.`,
      fields: [
        {
          name: 'when',
          label: 'The old key',
          options: [
            ['later', 'works on; I revoke it when my server has the new one'],
            ['now', 'is revoked now'],
          ],
        },
      ],
      first: { when: 'later' },
      run: async ({ when }) => {
        await issue();
        // The new key is shown in any case, so a refusal here must not hide it.
        if (when === 'now') await revoke(key).catch((error) => toast(messageOf(error), 'bad'));
      },
    });
  const actions = (key: Key) =>
    key.revokedAt === null && (
      <span class="row">
        <Button size="small" label={`Roll the key ${key.hint}`} onClick={() => askToRoll(key)}>
          Roll
        </Button>
        <Button size="small" variant="danger" label={`Revoke the key ${key.hint}`} onClick={() => askToRevoke(key)}>
          Revoke
        </Button>
      </span>
    );
  return (
    <Panel title={`API keys of ${mode} mode`}>
      {isAdmin && (
        <div class="row">
          <Button size="small" busy={isBusy} onClick={() => void act(issue)}>
            Issue a {mode} key
          </Button>
        </div>
      )}
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {shown}
      <WhenLoaded loaded={loaded}>
        {({ keys }) => (
          <Table
            caption="Keys, the newest first"
            rows={keys.filter((key) => key.mode === mode)}
            columns={{
              Key: ({ hint }) => <code>{`tl_${mode}_…${hint}`}</code>,
              Issued: ({ createdAt }) => momentText(createdAt),
              'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : dateOf(lastUsedAt)),
              State: KeyState,
              ...(isAdmin && { Actions: actions }),
            }}
          />
        )}
      </WhenLoaded>
      {dialog}
    </Panel>
  );
}

function KeyState({ revokedAt }: Key) {
  return revokedAt === null ? <Badge tone="good">valid</Badge> : <Badge>{`revoked ${momentText(revokedAt)}`}</Badge>;
}
