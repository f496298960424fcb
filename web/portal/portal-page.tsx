import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PortalSession, PortalSessionState } from '../../src/portal/wire.ts';
import { say, sayRich } from '../i18n/say.ts';
import { type Problem, problemOf } from '../pay/problem.ts';
import { Failed, Loading, Question } from '../pay/views/whole-page.tsx';
import { shortened } from '../pay/words.ts';
import { ApiError } from '../ui/api-error.ts';
import { Button } from '../ui/button.tsx';
import { hashRoute } from '../ui/hash-route.ts';
import { useSelector } from '../ui/use-selector.ts';
import { Overview } from './overview.tsx';
import { get, post, remove, session } from './portal-api.ts';
import { SignIn } from './sign-in.tsx';
import { SubscriptionPage } from './subscription-page.tsx';

function ended(): Problem {
  return { title: say('portal.signed_out'), text: say('portal.signed_out_text') };
}

function deadLink(): Problem {
  return { title: say('portal.dead_link'), text: say('portal.dead_link_text') };
}

/** The subscription in the fragment, so that the browser's way back works; null: the list. */
const { route, go } = hashRoute((hash) => /^#(sub_[0-9a-z]+)$/.exec(hash)?.[1] ?? null);

/** The portal: the sign-in, the list of subscriptions, or one of them. */
export function PortalPage() {
  const { who, wasOpen } = useSelector(session, (whole) => whole);
  const [entered, setEntered] = useState<Entered | null>(null);
  const [failure, setFailure] = useState<Problem | null>(null);
  const shownId = useSelector(route, (context) => context.route);
  const enterBy = (entering: Promise<Entered>) =>
    void entering.then(setEntered, (error: unknown) => setFailure(problemOf(error)));
  useEffect(() => enterBy(enter()), []);
  if (failure !== null) return <Failed problem={failure} />;
  if (entered === null) return <Loading layout="page-narrow stack" />;
  const { chains, link } = entered;
  if (link !== null && who !== null) {
    return (
      <Question
        title={say('portal.link_title')}
        text={say('portal.link_text', { wallet: shortened(who.wallet ?? '') })}
        safe={{ label: say('portal.link_stay'), onClick: () => setEntered({ ...entered, link: null }) }}
        other={{ label: say('portal.link_open'), onClick: () => enterBy(openLink(link, chains)) }}
      />
    );
  }
  if (who === null) {
    const onOpened = (opened: PortalSession) => {
      setEntered({ ...entered, notice: null });
      session.trigger.opened({ who: opened });
    };
    return <SignIn {...{ chains, onOpened }} notice={wasOpen ? ended() : entered.notice} />;
  }
  const onSignedOut = () => {
    go('#');
    session.trigger.left();
  };
  return (
    <main class="page page-narrow stack">
      <Header session={who} onSignedOut={onSignedOut} />
      {shownId === null ? (
        <Overview onShow={(id) => go(`#${id}`)} />
      ) : (
        <SubscriptionPage key={shownId} id={shownId} onBack={() => go('#')} />
      )}
    </main>
  );
}

interface Entered extends Pick<PortalSessionState, 'chains'> {
  readonly notice: Problem | null;
  /** The token of a link that would end the session of a wallet, so the payer decides; null: none. */
  readonly link: string | null;
}

/** With a link's token, its session, unless a wallet has signed in; else the one of the cookie. */
async function enter(): Promise<Entered> {
  const token = new URLSearchParams(location.hash.slice(1)).get('session');
  // A copied address must not contain it.
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  const { chains, session: open } = await readSession();
  if (token === null || open?.wallet) return { chains, notice: null, link: token };
  return openLink(token, chains);
}

async function readSession(): Promise<PortalSessionState> {
  const opened = await get<PortalSessionState>('/session');
  if (opened.session === null) session.trigger.left();
  else session.trigger.opened({ who: opened.session });
  return opened;
}

async function openLink(token: string, chains: Entered['chains']): Promise<Entered> {
  try {
    await post('/session/link', { token });
    await readSession();
    return { chains, notice: null, link: null };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    session.trigger.left();
    return { chains, notice: deadLink(), link: null };
  }
}

interface HeaderProps {
  readonly session: PortalSession;
  readonly onSignedOut: () => void;
}

function Header({ session: { wallet, merchantName, returnUrl }, onSignedOut }: HeaderProps) {
  const leave = () => void remove('/session').then(onSignedOut, onSignedOut);
  return (
    <header class="spread">
      {wallet === null ? (
        <span class="soft">{say('portal.at_merchant', { merchant: merchantName ?? '' })}</span>
      ) : (
        <span class="soft">
          {sayRich<ComponentChild>('portal.signed_in_as', {
            wallet: <code title={wallet}>{shortened(wallet)}</code>,
          })}
        </span>
      )}
      <span class="row">
        {returnUrl !== null && <a href={returnUrl}>{say('portal.back_to', { merchant: merchantName ?? '' })}</a>}
        <Button variant="quiet" size="small" onClick={leave}>
          {say('portal.sign_out')}
        </Button>
      </span>
    </header>
  );
}
