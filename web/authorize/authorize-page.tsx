import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Asked, Authorization } from '../../src/checkout/wire.ts';
import { getAuthorization } from '../pay/checkout-api.ts';
import { Flow } from '../pay/flow.ts';
import { type Order, trialEndOf } from '../pay/order.ts';
import { type Problem, problemOf } from '../pay/problem.ts';
import { note, recall, rememberedOf } from '../pay/session-memory.ts';
import { useReconnect } from '../pay/use-reconnect.ts';
import { useReturn } from '../pay/use-return.ts';
import { useWallets } from '../pay/use-wallets.ts';
import { Failed } from '../pay/views/failed.tsx';
import { Loading } from '../pay/views/loading.tsx';
import { MerchantName } from '../pay/views/merchant-name.tsx';
import { PayPanel } from '../pay/views/pay-panel.tsx';
import { TestBanner } from '../pay/views/test-banner.tsx';
import { conditionsOf, dateOf, rhythm } from '../pay/words.ts';
import { serviceNow } from '../ui/api.ts';
import { money } from '../ui/decimal.ts';
import { Notice } from '../ui/notice.tsx';
import { useAccent } from '../ui/use-accent.ts';
import { useTitle } from '../ui/use-title.ts';
import { authorizationDeal } from './deal.ts';

/** The terms of a link, and their authorization by a wallet. */
export function AuthorizePage({ token }: { readonly token: string }) {
  const [link, setLink] = useState<Authorization | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    getAuthorization(token).then(setLink, (error: unknown) => setProblem(problemOf(error)));
  }, [token]);
  useAccent(link?.branding.accentColor ?? null);
  if (problem !== null) return <Failed problem={problem} />;
  if (link === null) return <Loading />;
  return (
    <main class="page columns">
      {link.isSandbox && <TestBanner playing={link.asked === null ? [] : [link.asked.playing]} />}
      <Terms link={link} />
      <div class="card">
        {link.asked === null ? (
          <Unpayable link={link} />
        ) : (
          <Authorize key={isAnswered(link)} token={token} link={link} asked={link.asked} onAnswered={setLink} />
        )}
      </div>
    </main>
  );
}

const UNPAYABLE = 'This cannot be paid at the moment';

function Unpayable({ link: { offerName, merchantName } }: { readonly link: Authorization }) {
  useTitle(UNPAYABLE, offerName, merchantName);
  return (
    <Notice tone="warn" title={UNPAYABLE}>
      <p>The network for this payment is not available. Please try again later, or ask {merchantName}.</p>
    </Notice>
  );
}

interface AuthorizeProps {
  readonly token: string;
  readonly link: Authorization;
  readonly asked: Asked;
  /** The payer has answered in another browser. */
  readonly onAnswered: (link: Authorization) => void;
}

function isAnswered({ isAuthorized, signedBy }: Authorization): boolean {
  return isAuthorized || signedBy !== null;
}

function Authorize({ token, link, asked, onAnswered }: AuthorizeProps) {
  const memory = useMemo(() => recall(token), [token]);
  const flow = useMemo(() => new Flow(authorizationDeal(token, asked, link, memory?.choice), link), [token]);
  useEffect(() => () => flow.stop(), [flow]);
  useEffect(() => {
    let before = flow.store.getSnapshot().context;
    const subscription = flow.store.subscribe(({ context }) => {
      const { choice, wallet } = context;
      if (choice !== before.choice) note(token, { sessionKey: token, choice });
      if (wallet !== before.wallet) note(token, { sessionKey: token, wallet: wallet && rememberedOf(wallet) });
      before = context;
    });
    return () => subscription.unsubscribe();
  }, [flow, token]);
  const wallets = useWallets(asked.chainFamily, link.isSandbox, [asked.playing.chainId]);
  useReconnect(flow, wallets, memory?.wallet ?? null);
  const onLeave = useReturn(isAnswered(link), async () => {
    const now = await getAuthorization(token);
    if (isAnswered(now)) onAnswered(now);
  });
  const elsewhere = { url: `${location.origin}${location.pathname}`, onLeave };
  const { offerName, merchantName } = link;
  return (
    <PayPanel
      {...{ flow, wallets, offerName, merchantName, order: orderOf(link, asked), elsewhere, onRestart: null }}
    />
  );
}

/** New terms begin at the end of the paid period, and the first charge of a trial at its end. */
function orderOf({ terms, outcome: { subscription } }: Authorization, { amount, ticker }: Asked): Order {
  const now = new Date(serviceNow()).toISOString();
  return {
    price: { amount: terms.amount, currency: terms.currency },
    charge: { amount, ticker },
    every: { interval: terms.interval, count: terms.intervalCount },
    firstAt: subscription?.currentPeriodEnd ?? trialEndOf(terms.trialDays, now),
    maxCycles: terms.maxCycles,
  };
}

function Terms({ link }: { readonly link: Authorization }) {
  const { terms, merchantName, branding, offerName, kind, asked } = link;
  const conditions = conditionsOf(terms);
  return (
    <section class="stack" aria-labelledby="link-title">
      <div class="stack-tight">
        <MerchantName name={merchantName} logoPath={branding.logoPath} />
        <h1 id="link-title">{kind === 'migration' ? `New terms of ${offerName}` : offerName}</h1>
      </div>
      <p>
        <strong class="number">
          {money(terms.amount, terms.currency)} {rhythm(terms.interval, terms.intervalCount)}
        </strong>
        {conditions !== '' && <span class="soft">, {conditions}</span>}
      </p>
      {asked !== null && (
        <p class="soft">
          Paid as {money(asked.amount, asked.ticker)} on {asked.playing.label}.
        </p>
      )}
      {kind === 'migration' && <p>Until you agree, nothing changes and the present terms apply.</p>}
      <p class="small soft">This link works until {dateOf(link.expiresAt)}.</p>
    </section>
  );
}
