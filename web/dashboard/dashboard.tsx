import type { FunctionComponent } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { DashboardSession, DashboardSessionState } from '../../src/dashboard/wire.ts';
import { Clipped } from '../ui/clipped.tsx';
import { inView } from '../ui/in-view.ts';
import { SessionUnknown } from '../ui/load-failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { useSelector } from '../ui/use-selector.ts';
import { SignIn, SignOut } from './access/sign-in.tsx';
import { CouponList, CouponPage, NewCoupon } from './coupons/coupon-pages.tsx';
import { NewCustomer } from './customers/customer-form.tsx';
import { CustomerList } from './customers/customer-list.tsx';
import { CustomerPage } from './customers/customer-page.tsx';
import { session, useAnswer, useLoad } from './dashboard-api.ts';
import { DevelopersPage } from './developers/developers-page.tsx';
import { EventPage } from './developers/event-log.tsx';
import { HomePage } from './home/home-page.tsx';
import { NewOffer, OfferList, OfferPage } from './offers/offer-page.tsx';
import { PaymentList, PaymentPage } from './payments/payment-page.tsx';
import { MonthPage } from './revenue/month-page.tsx';
import { RevenuePage } from './revenue/revenue-page.tsx';
import { hrefOf, MODES, type Mode, PAGES, type ResourceProps, type Route, route } from './route.ts';
import { OwnSearch, SearchPage } from './search/search-page.tsx';
import { ActivityPage } from './settings/activity-page.tsx';
import { SettingsPage } from './settings/settings-page.tsx';
import { NewSubscription } from './subscriptions/new-subscription.tsx';
import { SubscriptionList, SubscriptionPage } from './subscriptions/subscription-page.tsx';

/** The dashboard; without a session it asks to sign in first. */
export function Dashboard() {
  const [invitation] = useState(takeInvitation);
  const { status, who, wasOpen } = useSelector(session, (whole) => whole);
  const loaded = useLoad<DashboardSessionState>('/session');
  useAnswer(loaded);
  if (loaded.value === null || status === 'unknown') {
    return <SessionUnknown loaded={loaded} title="Tideline dashboard" />;
  }
  if (who === null) return <SignIn invitation={invitation} hasPasskeys={loaded.value.hasPasskeys} wasOpen={wasOpen} />;
  return <Shown session={who} />;
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
  // With the page: a moment later the person may type already.
  useLayoutEffect(() => {
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
    case 'search':
      return <SearchPage route={shown} />;
    case 'home':
      return <HomePage mode={shown.mode} />;
    case 'offers':
      return <Resources route={shown} List={OfferList} New={NewOffer} One={OfferPage} />;
    case 'customers':
      return <Resources route={shown} List={CustomerList} New={NewCustomer} One={CustomerPage} />;
    case 'subscriptions':
      return <Resources route={shown} List={SubscriptionList} New={NewSubscription} One={SubscriptionPage} />;
    case 'payments':
      return <Resources route={shown} List={PaymentList} One={PaymentPage} />;
    case 'coupons':
      return <Resources route={shown} List={CouponList} New={NewCoupon} One={CouponPage} />;
    case 'revenue':
      return shown.id === null ? <RevenuePage route={shown} /> : <MonthPage route={shown} />;
    case 'developers':
      return <Resources route={shown} List={DevelopersPage} One={EventPage} />;
    case 'settings':
      return shown.id === 'activity' ? <ActivityPage route={shown} /> : <SettingsPage mode={shown.mode} />;
  }
}

interface ResourcesProps {
  readonly route: Route;
  readonly List: FunctionComponent<{ readonly route: Route }>;
  /** Absent: none is made here. */
  readonly New?: FunctionComponent<Pick<Route, 'mode' | 'query'>>;
  readonly One: FunctionComponent<ResourceProps>;
}

/** A list, the page on which a resource is made, or the page of one. */
function Resources({ route: shown, List, New, One }: ResourcesProps) {
  const { mode, id, query } = shown;
  if (id === null) return <List route={shown} />;
  return id === 'new' && New !== undefined ? <New mode={mode} query={query} /> : <One mode={mode} id={id} />;
}

interface HeaderProps {
  readonly session: DashboardSession;
  readonly shown: Route;
}

function Header({ session: { merchant, member }, shown: { mode, page } }: HeaderProps) {
  return (
    <header class="bar dashboard-header">
      <div class="spread">
        <strong>
          <Clipped text={merchant.name} />
        </strong>
        <ModeSwitch mode={mode} page={page} />
        <span class="row">
          <span class="soft">
            <Clipped text={`${member.name} (${member.role})`} />
          </span>
          <SignOut variant="quiet" size="small">
            Sign out
          </SignOut>
        </span>
      </div>
      <OwnSearch mode={mode} />
      <nav class="tabs" aria-label="Dashboard">
        {PAGES.map(({ page: name, label }) => (
          <a
            key={name}
            class="tab"
            ref={name === page ? inView : null}
            href={hrefOf(mode, name)}
            aria-current={name === page ? 'page' : undefined}
          >
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
      {MODES.map((each) => (
        <a key={each} href={hrefOf(each, page)} aria-current={each === mode ? 'true' : undefined}>
          {each === 'test' ? 'Test' : 'Live'}
        </a>
      ))}
    </nav>
  );
}
