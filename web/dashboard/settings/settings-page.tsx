import { Panel } from '../../ui/panel.tsx';
import { SignOut } from '../access/sign-in.tsx';
import { useRole } from '../dashboard-api.ts';
import { hrefOf, type Mode } from '../route.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { BrandingPanel, EmbedPanel } from './branding-panel.tsx';
import { InvoicingPanel } from './invoicing-panel.tsx';
import { LettersPanel } from './letters-panel.tsx';
import { PasskeysPanel, PeoplePanel } from './people-panel.tsx';
import { TimeZonePanel } from './time-zone-panel.tsx';
import { WalletsPanel } from './wallets-panel.tsx';

export function SettingsPage({ mode }: { readonly mode: Mode }) {
  const isAdmin = useRole('admin');
  return (
    <>
      <PageTitle title="Settings" />
      <WalletsPanel mode={mode} />
      <BrandingPanel />
      <InvoicingPanel />
      <LettersPanel />
      <TimeZonePanel mode={mode} />
      <EmbedPanel />
      <PeoplePanel />
      <PasskeysPanel />
      {isAdmin && (
        <Panel title="Activity">
          <p>
            Who has changed what, and from where: <a href={hrefOf(mode, 'settings', 'activity')}>the activity log</a>
          </p>
        </Panel>
      )}
      <Panel title="Sign out">
        <div>
          <SignOut>Sign out of this browser</SignOut>
        </div>
      </Panel>
    </>
  );
}
