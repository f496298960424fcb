import { LoadFailed } from '../../ui/load-failed.tsx';
import type { Loaded } from '../../ui/use-load.ts';
import { useRole } from '../access/use-role.ts';
import type { WebhookEndpoint } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { Panel } from '../shared/panel.tsx';
import { EndpointForm } from './endpoint-form.tsx';

export interface EndpointPanelProps {
  readonly mode: Mode;
  readonly endpoint: Loaded<WebhookEndpoint>;
}

/** Where the events of the environment go. */
export function EndpointPanel({ mode, endpoint }: EndpointPanelProps) {
  const isAdmin = useRole('admin');
  const { value } = endpoint;
  return (
    <Panel title="Webhook endpoint">
      {endpoint.error !== null && <LoadFailed loaded={endpoint} />}
      {value !== null && <p class="soft">{standingOf(value)}</p>}
      {value !== null && isAdmin && <EndpointForm mode={mode} endpoint={value} onSaved={endpoint.reload} />}
    </Panel>
  );
}

function standingOf({ url, effectiveUrl, extraEvents }: WebhookEndpoint): string {
  if (effectiveUrl === null) return 'No URL is set: events are only in the log.';
  const kinds = extraEvents ? 'All kinds of events' : 'Events';
  if (url === '') return `${kinds} go to the live URL, ${effectiveUrl}, because test mode has none of its own.`;
  return `${kinds} go to ${effectiveUrl}.`;
}
