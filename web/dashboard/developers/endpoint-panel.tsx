import { useEffect, useState } from 'preact/hooks';
import type { FirstSecret, TestEvent } from '../../../src/dashboard/wire.ts';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { ActionForm } from '../../ui/form.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { Loaded } from '../../ui/use-load.ts';
import { patch, post, useLoad, useRole } from '../dashboard-api.ts';
import type { RotatedSecret, WebhookEndpoint, WebhookSecret } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

export function EndpointPanel({ mode, endpoint }: { readonly mode: Mode; readonly endpoint: Loaded<WebhookEndpoint> }) {
  const isAdmin = useRole('admin');
  const first = useFirstSecret(mode);
  return (
    <Panel title="Webhook endpoint">
      <WhenLoaded loaded={endpoint}>
        {(value) => (
          <>
            <p class="soft">{targetOf(value)}</p>
            {first.shown}
            {isAdmin && <EndpointForm mode={mode} endpoint={value} onFirst={first.make} onSaved={endpoint.reload} />}
          </>
        )}
      </WhenLoaded>
    </Panel>
  );
}

function targetOf({ url, effectiveUrl, extraEvents }: WebhookEndpoint): string {
  if (effectiveUrl === null) return 'No URL is set: events are only in the log.';
  const kinds = extraEvents ? 'All kinds of events' : 'Events';
  if (url === '') return `${kinds} go to the live URL, ${effectiveUrl}, because test mode has none of its own.`;
  return `${kinds} go to ${effectiveUrl}.`;
}

/** The secret that signs the events of the environment, once: when its first endpoint is saved. */
export function useFirstSecret(mode: Mode) {
  const { shown, show } = useShownOnce();
  const make = async () => {
    const { secret } = await post<FirstSecret>('/webhooks/first-secret', { mode });
    if (secret === null) return;
    show(
      { 'signing secret': secret },
      `It signs the events of ${mode} mode: your server verifies each of them with it. Store it now; Developers makes a new one later.`,
    );
  };
  return { make, shown };
}

export interface EndpointFormProps {
  readonly mode: Mode;
  /** As saved. */
  readonly endpoint: WebhookEndpoint;
  /** Runs after a URL was saved where there was none. */
  readonly onFirst: () => Promise<void>;
  readonly onSaved: () => void;
  /** The first day needs only a URL. */
  readonly isShort?: boolean;
}

export function EndpointForm({ mode, endpoint, onFirst, onSaved, isShort = false }: EndpointFormProps) {
  const [url, setUrl] = useState(endpoint.url);
  const [extraEvents, setExtraEvents] = useState(endpoint.extraEvents);
  const save = async () => {
    await patch(`/${mode}/webhooks/endpoint`, { url: url.trim(), extraEvents });
    if (endpoint.url === '' && url.trim() !== '') await onFirst();
    onSaved();
  };
  return (
    <ActionForm action="Save the endpoint" variant={isShort ? 'primary' : 'plain'} run={save}>
      <Field
        label="URL of your webhook endpoint"
        name="url"
        required={isShort}
        value={url}
        onInput={setUrl}
        placeholder="https://shop.example/webhooks"
        hint={isShort ? undefined : 'Empty removes it.'}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={extraEvents}
          onChange={(event) => setExtraEvents(event.currentTarget.checked)}
        />
        Send the extra kinds of events too: they say when to give and take access for a trial or a late payment
      </label>
    </ActionForm>
  );
}

interface SecretPanelProps {
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

/** One signed request to the endpoint, to see that it answers. */
export function TestEventPanel({ mode, endpoint }: { readonly mode: Mode; readonly endpoint: WebhookEndpoint | null }) {
  const [answer, setAnswer] = useState<TestEvent | null>(null);
  const { isBusy, problem, act } = useAction();
  const send = async () => {
    setAnswer(null);
    setAnswer(await post<TestEvent>('/webhooks/test-event', { mode }));
  };
  if (endpoint === null || endpoint.effectiveUrl === null) return null;
  return (
    <Panel title="Test event">
      <p class="soft">
        Sends one signed event of the kind <code>webhook.test</code> to your endpoint. It is not in the log.
      </p>
      <div>
        <Button busy={isBusy} onClick={() => void act(send)}>
          Send a test event
        </Button>
      </div>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <StatusRegion>{answer !== null && <Answered answer={answer} />}</StatusRegion>
    </Panel>
  );
}

function Answered({ answer: { status, durationMs, error, body } }: { readonly answer: TestEvent }) {
  if (status === null) {
    return (
      <Notice tone="bad" isInRegion title={`No answer after ${durationMs} ms`}>
        {error}
      </Notice>
    );
  }
  const isTaken = status >= 200 && status < 300;
  return (
    <Notice tone={isTaken ? 'good' : 'bad'} isInRegion title={`HTTP ${status} after ${durationMs} ms`}>
      {body !== null && body !== '' && <pre class="exact">{body}</pre>}
    </Notice>
  );
}
