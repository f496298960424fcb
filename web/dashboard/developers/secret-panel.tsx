import { useEffect } from 'preact/hooks';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { post, useLoad } from '../dashboard-api.ts';
import type { RotatedSecret, WebhookEndpoint, WebhookSecret } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

export interface SecretPanelProps {
  readonly mode: Mode;
  /** The first URL makes the secret. */
  readonly endpoint: WebhookEndpoint | null;
}

/** The secrets that sign events: that of this mode, and that of both modes. Only a rotation shows one. */
export function SecretPanel({ mode, endpoint }: SecretPanelProps) {
  const loaded = useLoad<WebhookSecret>(`/${mode}/webhooks/secret`);
  const { shown, show } = useShownOnce();
  const { askFor, dialog } = useQuestion();
  const url = endpoint?.url;
  useEffect(() => {
    if (url) loaded.reload();
  }, [url, loaded.reload]);
  const rotate = (scope: 'mode' | null) =>
    askFor({
      title: 'Show a new signing secret',
      action: 'Rotate the secret',
      text: `The new secret signs from now on, in ${scope === null ? 'test and in live' : mode}. Meanwhile the old one can sign too.`,
      fields: [
        {
          name: 'overlap',
          label: 'The old secret',
          options: [
            ['86400', 'signs too for a day'],
            ['3600', 'signs too for an hour'],
            ['604800', 'signs too for a week'],
            ['0', 'ends now'],
          ],
        },
      ],
      first: { overlap: '86400' },
      run: async ({ overlap }) => {
        const body = { scope, overlapSeconds: Number(overlap) };
        const { secret } = await post<RotatedSecret>(`/${mode}/webhooks/secret/rotate`, body);
        show({ 'signing secret': secret }, 'Your server verifies each event with it. Store it now.');
      },
    });
  return (
    <Panel title="Signing secret">
      <p class="soft">
        {`A secret signs the events of ${mode} only. The service shows it only when it is made: show a new one for your server.`}
      </p>
      {shown}
      <div>
        <Button onClick={() => rotate('mode')}>Show a new secret</Button>
      </div>
      <WhenLoaded loaded={loaded}>
        {({ configured }) =>
          configured && (
            <>
              <p class="soft">Another one signs the events of test and live. Who has it can forge live events.</p>
              <div>
                <Button onClick={() => rotate(null)}>Replace the one of both</Button>
              </div>
            </>
          )
        }
      </WhenLoaded>
      {dialog}
    </Panel>
  );
}
