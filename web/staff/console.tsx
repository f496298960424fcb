import type { Session } from '../../src/staff/wire.ts';
import { Button } from '../ui/button.tsx';
import { SessionUnknown } from '../ui/load-failed.tsx';
import { messageOf } from '../ui/message-of.ts';
import { Notice, toast } from '../ui/notice.tsx';
import { useSelector } from '../ui/use-selector.ts';
import { Login } from './access/login.tsx';
import { notifyTabs, session, useAnswer } from './access/session.ts';
import { ActorPage } from './actor/actor-page.tsx';
import { remove, useLoad } from './api.ts';
import { FrontPage, TroublePage } from './front/front-page.tsx';
import { MerchantPage, MerchantsPage } from './merchants/merchant-page.tsx';
import { CustomerPage } from './resources/customer-page.tsx';
import { OfferPage } from './resources/offer-page.tsx';
import { merchantsHref, route } from './route.ts';
import { SearchPage, StaffSearch } from './search/search-page.tsx';

/** The staff console; without a session it asks for a token first. */
export function Console() {
  const { status, who } = useSelector(session, (context) => context);
  const loaded = useLoad<{ readonly session: Session | null }>('/session');
  useAnswer(loaded);
  if (status === 'unknown') return <SessionUnknown loaded={loaded} title="Tideline staff" />;
  if (who === null) return <Login />;
  return (
    <>
      <Header who={who} />
      <main class="page" id="main">
        {who.role === 'read' && <Notice>You can read everything. Actions need a token with the role act.</Notice>}
        <Shown />
      </main>
    </>
  );
}

function Shown() {
  const shown = useSelector(route, (context) => context.route);
  const visit = useSelector(route, (context) => context.visit);
  switch (shown.page) {
    case 'front':
      return <FrontPage />;
    case 'search':
      return <SearchPage key={visit} q={shown.q} />;
    case 'trouble':
      return <TroublePage key={shown.name} name={shown.name} />;
    case 'merchants':
      return <MerchantsPage status={shown.status} />;
    case 'merchant':
      return <MerchantPage key={shown.id} {...shown} />;
    case 'customer':
      return <CustomerPage key={shown.id} id={shown.id} />;
    case 'offer':
      return <OfferPage key={shown.id} id={shown.id} />;
    case 'actor':
      return <ActorPage key={`${shown.kind} ${shown.id}`} {...shown} />;
  }
}

function Header({ who }: { readonly who: Session }) {
  const leave = async () => {
    try {
      await remove('/session');
      session.trigger.ended();
      notifyTabs();
    } catch (problem) {
      // The cookie is still there: the next person at this browser would act as this member of staff.
      if (session.getSnapshot().context.who !== null) toast(`You are still signed in. ${messageOf(problem)}`, 'bad');
    }
  };
  return (
    <header class="bar">
      <div class="row bar-inner">
        <a class="brand" href="#/">
          Tideline staff
        </a>
        <nav aria-label="Lists">
          <a href={merchantsHref(null)}>Merchants</a>
        </nav>
        <StaffSearch />
        <div class="row bar-who">
          <span class="small" data-testid="who">
            {who.by} · {who.role}
          </span>
          <Button size="small" variant="quiet" onClick={() => void leave()}>
            Sign out
          </Button>
        </div>
      </div>
    </header>
  );
}
