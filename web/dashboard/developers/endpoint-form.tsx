import { useState } from 'preact/hooks';
import { ActionForm } from '../../ui/action-form.tsx';
import { Field } from '../../ui/field.tsx';
import { dashboardApi } from '../dashboard-api.ts';
import type { WebhookEndpoint } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

export interface EndpointFormProps {
  readonly mode: Mode;
  /** As saved. */
  readonly endpoint: WebhookEndpoint;
  readonly onSaved: () => void;
  /** The first day needs only a URL. */
  readonly isShort?: boolean;
}

/** Where the events of an environment go. */
export function EndpointForm({ mode, endpoint, onSaved, isShort = false }: EndpointFormProps) {
  const [url, setUrl] = useState(endpoint.url);
  const [extraEvents, setExtraEvents] = useState(endpoint.extraEvents);
  const save = async () => {
    const body = { url: url.trim(), extraEvents };
    await dashboardApi<WebhookEndpoint>(`/${mode}/webhooks/endpoint`, { method: 'PATCH', body });
    onSaved();
  };
  return (
    <ActionForm action="Save the endpoint" variant={isShort ? 'primary' : 'plain'} run={save}>
      <Field
        label="URL of your webhook endpoint"
        required={isShort}
        value={url}
        onInput={setUrl}
        placeholder="https://shop.example/webhooks"
        hint={isShort ? undefined : 'Empty removes it.'}
      />
      {!isShort && (
        <label class="check">
          <input
            type="checkbox"
            checked={extraEvents}
            onChange={(event) => setExtraEvents(event.currentTarget.checked)}
          />
          Send the extra kinds of events too
        </label>
      )}
    </ActionForm>
  );
}
