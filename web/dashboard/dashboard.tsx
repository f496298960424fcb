import { useEffect, useState } from 'preact/hooks';
import type { DashboardSession, DashboardStanding } from '../../src/dashboard/wire.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useSelector } from '../ui/use-selector.ts';
import { onOtherTab, session } from './access/session.ts';
import { SignIn } from './access/sign-in.tsx';
import { signOut } from './access/sign-out.ts';
import { CustomersPage } from './customers/customers-page.tsx';
import { useLoad } from './dashboard-api.ts';
import { DevelopersPage } from './developers/developers-page.tsx';
import { HomePage } from './home/home-page.tsx';
import { OffersPage } from './offers/offers-page.tsx';
import { PaymentsPage } from './payments/payments-page.tsx';
import { RevenuePage } from './revenue/revenue-page.tsx';
import { hrefOf, type Mode, PAGES, type Route, route } from './route.ts';
import { SettingsPage } from './settings/settings-page.tsx';
import { SubscriptionsPage } from './subscriptions/subscriptions-page.tsx';

/** The dashboard; without a session it asks to sign in first. */
export function Dashboard() {
  const [invitation] = useState(takeInvitation);
  const context = useSelector(session, (whole) => whole);
  const loaded = useLoad<DashboardStanding>('/session');
  useEffect(() => {
    if (loaded.value === null) return;
    const { session: found } = loaded.value;
    if (found === null) session.trigger.ended();
    else session.trigger.opened({ session: found });
  }, [loaded.value]);
  useEffect(() => onOtherTab(loaded.reload), [loaded.reload]);
  if (loaded.value === null || context.status === 'unknown') {
    if (loaded.error === null) return <p class="wait soft">…</p>;
    return (
      <main class="page stack">
        <h1>Tideline dashboard</h1>
        <Notice tone="bad" title={loaded.error} isStep>
          <Button size="small" busy={loaded.isLoading} onClick={loaded.reload}>
            Try again
          </Button>
        </Notice>
      </main>
    );
  }
  if (context.session === null) {
    const { hasPasskeys } = loaded.value;
    return <SignIn invitation={invitation} hasPasskeys={hasPasskeys} wasOpen={context.wasOpen} />;
  }
  return <Shown session={context.session} />;
}

/** The token in the fragment. A copied address must not contain it. */
function takeInvitation(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('invitation');
  if (token !== null) history.replaceState(null, '', location.pathname);
  return token;
}

function Shown({ session: open }: { readonly session: DashboardSession }) {
  const shown = useSelector(route, (context) => context.route);
  const visit = useSelector(route, (context) => context.visit);
  useEffect(() => {
    if (visit > 1) focusHeading();
  }, [visit]);
  return (
    <>
      <Header session={open} shown={shown} />
      <main class="page stack" id="main" key={visit}>
        {open.merchant.status === 'suspended' && (
          <Notice tone="bad" title={`${open.merchant.name} is suspended`}>
            No new charge begins, and API keys get 401. Ask the operator of the service.
          </Notice>
        )}
        <ShownPage shown={shown} />
      </main>
    </>
  );
}

/** A link in the header keeps the focus, although the page below is another one. */
function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('#main h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus();
}

function ShownPage({ shown }: { readonly shown: Route }) {
  switch (shown.page) {
    case 'home':
      return <HomePage />;
    case 'offers':
      return <OffersPage route={shown} />;
    case 'customers':
      return <CustomersPage route={shown} />;
    case 'subscriptions':
      return <SubscriptionsPage route={shown} />;
    case 'payments':
      return <PaymentsPage route={shown} />;
    case 'revenue':
      return <RevenuePage route={shown} />;
    case 'developers':
      return <DevelopersPage route={shown} />;
    case 'settings':
      return <SettingsPage mode={shown.mode} />;
  }
}

interface HeaderProps {
  readonly session: DashboardSession;
  readonly shown: Route;
}

function Header({ session: { merchant, member }, shown: { mode, page } }: HeaderProps) {
  return (
    <header class="dashboard-header">
      <div class="spread">
        <strong>{merchant.name}</strong>
        <ModeSwitch mode={mode} page={page} />
        <span class="row">
          <span class="soft">
            {member.name} ({member.role})
          </span>
          <Button variant="quiet" size="small" onClick={() => void signOut()}>
            Sign out
          </Button>
        </span>
      </div>
      <nav class="dashboard-nav" aria-label="Dashboard">
        {PAGES.map(({ page: name, label }) => (
          <a key={name} href={hrefOf(mode, name)} aria-current={name === page ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      {mode === 'test' && <p class="test-mode">Test data: no real money moves here.</p>}
    </header>
  );
}

/** Both environments are links, so that each has an address. */
function ModeSwitch({ mode, page }: { readonly mode: Mode; readonly page: Route['page'] }) {
  return (
    <nav class="mode-switch" aria-label="Environment">
      {(['test', 'live'] as const).map((each) => (
        <a key={each} href={hrefOf(each, page)} aria-current={each === mode ? 'true' : undefined}>
          {each === 'test' ? 'Test' : 'Live'}
        </a>
      ))}
    </nav>
  );
}
