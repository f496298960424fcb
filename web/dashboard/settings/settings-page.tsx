import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { signOut } from '../access/sign-out.ts';
import type { Mode } from '../route.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { BrandingPanel } from './branding-panel.tsx';
import { EmbedPanel } from './embed-panel.tsx';
import { PasskeysPanel } from './passkeys-panel.tsx';
import { PeoplePanel } from './people-panel.tsx';
import { WalletsPanel } from './wallets-panel.tsx';

/** Payout wallets, branding, people, and the member's own sign-in. */
export function SettingsPage({ mode }: { readonly mode: Mode }) {
  return (
    <>
      <PageTitle title="Settings" />
      <WalletsPanel mode={mode} />
      <BrandingPanel />
      <EmbedPanel />
      <PeoplePanel />
      <PasskeysPanel />
      <Panel title="Sign out">
        <div>
          <Button onClick={() => void signOut()}>Sign out of this browser</Button>
        </div>
      </Panel>
    </>
  );
}
