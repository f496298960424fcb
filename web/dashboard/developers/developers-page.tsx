import { useLoad, useRole } from '../dashboard-api.ts';
import type { WebhookEndpoint } from '../merchant-api.ts';
import type { Route } from '../route.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { EndpointPanel, SecretPanel, TestEventPanel } from './endpoint-panel.tsx';
import { EventLog } from './event-log.tsx';
import { KeysPanel } from './keys-panel.tsx';

export function DevelopersPage({ route }: { readonly route: Route }) {
  const { mode } = route;
  const isAdmin = useRole('admin');
  const endpoint = useLoad<WebhookEndpoint>(`/${mode}/webhooks/endpoint`);
  return (
    <>
      <PageTitle title="Developers" />
      <KeysPanel mode={mode} />
      <EndpointPanel mode={mode} endpoint={endpoint} />
      {isAdmin && <SecretPanel mode={mode} endpoint={endpoint.value} />}
      {isAdmin && <TestEventPanel mode={mode} endpoint={endpoint.value} />}
      <EventLog route={route} />
    </>
  );
}
