import { useState } from 'preact/hooks';
import type { FirstSecret } from '../../../src/dashboard/wire.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Field } from '../../ui/field.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import type { Loaded } from '../../ui/use-load.ts';
import { useRole } from '../access/session.ts';
import { patch, post } from '../dashboard-api.ts';
import type { WebhookEndpoint } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

export interface EndpointPanelProps {
  readonly mode: Mode;
  readonly endpoint: Loaded<WebhookEndpoint>;
}

/** Where the events of the environment go. */
export function EndpointPanel({ mode, endpoint }: EndpointPanelProps) {
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
