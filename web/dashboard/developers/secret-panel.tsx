import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Select } from '../../ui/select.tsx';
import { dashboardApi, useLoad } from '../dashboard-api.ts';
import type { RotatedSecret, WebhookEndpoint, WebhookSecret } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { ActionDialog } from '../shared/action-dialog.tsx';
import { Panel } from '../shared/panel.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';

export interface SecretPanelProps {
  readonly mode: Mode;
  /** The first URL makes the secret. */
  readonly endpoint: WebhookEndpoint | null;
}

/** The secret that signs the events of both environments. Only a rotation shows it. */
export function SecretPanel({ mode, endpoint }: SecretPanelProps) {
  const loaded = useLoad<WebhookSecret>(`/${mode}/webhooks/secret`);
  const [isRotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const url = endpoint?.url;
  useEffect(() => {
    if (url) loaded.reload();
  }, [url, loaded.reload]);
  const isConfigured = loaded.value?.configured === true;
  return (
    <Panel title="Signing secret">
      {loaded.error !== null && <LoadFailed loaded={loaded} />}
      {loaded.value !== null && (
        <p class="soft">
          {isConfigured
            ? 'One secret signs the events of test and live. The service shows it only when it is made: show a new one for your server.'
            : 'There is none yet: the first URL makes it.'}
        </p>
      )}
      {secret !== null && (
        <ShownOnce
          what="signing secret"
          text={secret}
          warning="Your server verifies each event with it. Store it now."
          onStored={() => setSecret(null)}
        />
      )}
      {isConfigured && (
        <div>
          <Button onClick={() => setRotating(true)}>Show a new secret</Button>
        </div>
      )}
      {isRotating && <RotateDialog mode={mode} onRotated={setSecret} onClose={() => setRotating(false)} />}
    </Panel>
  );
}

interface RotateDialogProps {
  readonly mode: Mode;
  readonly onRotated: (secret: string) => void;
  readonly onClose: () => void;
}

function RotateDialog({ mode, onRotated, onClose }: RotateDialogProps) {
  const [overlap, setOverlap] = useState('86400');
  const rotate = async () => {
    const body = { overlapSeconds: Number(overlap) };
    const { secret } = await dashboardApi<RotatedSecret>(`/${mode}/webhooks/secret/rotate`, { method: 'POST', body });
    onRotated(secret);
  };
  return (
    <ActionDialog title="Show a new signing secret" action="Rotate the secret" run={rotate} onClose={onClose}>
      <p>The new secret signs from now on, in test and in live. Meanwhile the old one can sign too.</p>
      <Select
        label="The old secret"
        value={overlap}
        onChange={setOverlap}
        options={[
          ['86400', 'signs too for a day'],
          ['3600', 'signs too for an hour'],
          ['604800', 'signs too for a week'],
          ['0', 'ends now'],
        ]}
      />
    </ActionDialog>
  );
}
