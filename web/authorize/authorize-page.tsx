import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Authorization, RequestedAllowance } from '../../src/checkout/wire.ts';
import { inChosenLanguage } from '../i18n/page-language.ts';
import { say } from '../i18n/say.ts';
import { draftApproval, linkPath, post, postInLanguage } from '../pay/checkout-api.ts';
import type { Choice } from '../pay/choice.ts';
import { discountText } from '../pay/discount.ts';
import { Flow, isUnderWay, type PurchaseApi } from '../pay/flow.ts';
import { firstChargeAt, type Order, thresholdIn } from '../pay/order.ts';
import { type Problem, problemOf } from '../pay/problem.ts';
import { noteChanges, recall } from '../pay/session-memory.ts';
import { useReconnect } from '../pay/use-reconnect.ts';
import { useReturn } from '../pay/use-return.ts';
import { useWallets } from '../pay/use-wallets.ts';
import { Conditions } from '../pay/views/conditions.tsx';
import { MerchantName } from '../pay/views/merchant-name.tsx';
import { PayPanel } from '../pay/views/pay-panel.tsx';
import { TestBanner } from '../pay/views/test-banner.tsx';
import { Failed, Loading } from '../pay/views/whole-page.tsx';
import { costOf, dateOf, recurringPrice } from '../pay/words.ts';
import { callApi, serviceNow } from '../ui/api.ts';
import { money } from '../ui/decimal.ts';
import { Notice } from '../ui/notice.tsx';
import { useAccent } from '../ui/use-accent.ts';
import { useTitle } from '../ui/use-title.ts';

/** The terms of a link, and their authorization by a wallet. */
export function AuthorizePage({ token }: { readonly token: string }) {
  const [link, setLink] = useState<Authorization | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    callApi<Authorization>(linkPath(token)).then(setLink, (error: unknown) => setProblem(problemOf(error)));
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
          <Authorize key={isAnswered(link)} token={token} link={link} allowance={link.asked} onAnswered={setLink} />
        )}
      </div>
    </main>
  );
}

function Unpayable({ link: { offerName, merchantName } }: { readonly link: Authorization }) {
  const title = say('common.cannot_be_paid');
  useTitle(title, offerName, merchantName);
  return (
    <Notice tone="warn" title={title}>
      <p>{say('authorize.unpayable', { merchant: merchantName })}</p>
    </Notice>
  );
}

interface AuthorizeProps {
  readonly token: string;
  readonly link: Authorization;
  readonly allowance: RequestedAllowance;
  /** The payer has answered in another browser. */
  readonly onAnswered: (link: Authorization) => void;
}

function isAnswered({ isAuthorized, signedBy }: Authorization): boolean {
  return isAuthorized || signedBy !== null;
}

function Authorize({ token, link, allowance, onAnswered }: AuthorizeProps) {
  const memory = useMemo(() => recall(token), [token]);
  const flow = useMemo(() => new Flow(linkApi(token, allowance, link, memory?.choice), link), [token]);
  useEffect(() => () => flow.stop(), [flow]);
  useEffect(() => noteChanges(flow, token, { sessionKey: token }), [flow, token]);
  const wallets = useWallets(allowance.chainFamily, link.isSandbox, [allowance.playing.chainId]);
  useReconnect(flow, wallets, memory?.wallet ?? null);
  const onLeave = useReturn(isAnswered(link), async () => {
    const now = await callApi<Authorization>(linkPath(token));
    if (isAnswered(now)) onAnswered(now);
  });
  const elsewhere = { url: inChosenLanguage(`${location.origin}${location.pathname}`), onLeave };
  const { offerName, merchantName } = link;
  return (
    <PayPanel
      {...{ flow, wallets, offerName, merchantName, order: orderOf(link, allowance), elsewhere }}
      onRestart={() => location.reload()}
    />
  );
}

/** New terms begin at once or at the end of the paid period, and the first charge of a trial at its end. */
function orderOf(
  { terms, quote, outcome: { subscription } }: Authorization,
  { amount, ticker }: RequestedAllowance,
): Order {
  const now = new Date(serviceNow()).toISOString();
  const { metered, units } = terms;
  const every = { interval: terms.interval, count: terms.intervalCount };
  const most = metered && { amount: metered.capAmount, ticker };
  return {
    price:
      most === null ? { amount: terms.amount, currency: terms.currency } : { amount: most.amount, currency: ticker },
    charge: { amount, ticker },
    every,
    ...(quote?.at === null ? { now: quote.now } : {}),
    discount: subscription?.discount ?? null,
    firstAt:
      quote === null
        ? (subscription?.currentPeriodEnd ?? firstChargeAt(terms.trialDays, metered && every, now))
        : quote.at,
    maxCycles: terms.maxCycles,
    units,
    most,
    ...thresholdIn(metered),
  };
}

function Terms({ link }: { readonly link: Authorization }) {
  const { terms, merchantName, branding, offerName, kind, asked, quote } = link;
  const discount = link.outcome.subscription?.discount ?? null;
  return (
    <section class="stack" aria-labelledby="link-title">
      <div class="stack-tight">
        <MerchantName name={merchantName} logoPath={branding.logoPath} />
        <h1 id="link-title">
          {kind === 'migration' ? say('authorize.new_terms_of', { offer: offerName }) : <bdi>{offerName}</bdi>}
        </h1>
      </div>
      <div>
        <strong class="number">{recurringPrice(terms)}</strong>
        <Conditions of={terms} />
      </div>
      {asked !== null && (
        <p class="soft">
          {terms.metered === null
            ? say('authorize.paid_as', { amount: money(asked.amount, asked.ticker), network: asked.playing.label })
            : say('common.token_on_network', { ticker: asked.ticker, network: asked.playing.label })}
        </p>
      )}
      {asked !== null && discount && <p data-part="discount">{discountText(discount, asked.ticker)}</p>}
      {asked !== null && quote !== null && (
        <div class="stack-tight" data-part="quote">
          <p>{costOf(quote, asked.ticker)}</p>
          {quote.at === null && quote.credit !== '0.00' && (
            <p class="small soft">{say('change.less_in_time', { later: money(quote.later, asked.ticker) })}</p>
          )}
        </div>
      )}
      {kind === 'migration' && <p>{say('authorize.terms_until')}</p>}
      <p class="small soft">{say('authorize.link_until', { date: dateOf(link.expiresAt) })}</p>
    </section>
  );
}

/** The authorization of an existing subscription, or of its new terms. */
function linkApi(
  token: string,
  allowance: RequestedAllowance,
  known: Authorization,
  choice: Choice | undefined,
): PurchaseApi<Authorization> {
  const path = linkPath(token);
  return {
    ...(choice === undefined ? {} : { choice }),
    payToken: allowance,
    signed: null,
    isSigned: !isOpen(known),
    challenge: (address) => post(`${path}/challenges`, { address }),
    request: (address) => callApi(`${path}/wallets/${encodeURIComponent(address)}`),
    open: (signed, permit) => postInLanguage(path, { ...signed, ...(permit === null ? {} : { permit }) }),
    poll: () => callApi(path),
    proofUrl: null,
    draftApproval: (address, value) => draftApproval(path, address, value),
    isOpen,
    signerOf: ({ signedBy }) => signedBy,
  };
}

/** New terms stay open until they are authorized, or charged if that is at once. */
function isOpen(purchase: Authorization): boolean {
  if (purchase.outcome.progress === 'ended') return false;
  if (purchase.kind === 'subscription') return isUnderWay(purchase);
  return !purchase.isAuthorized || purchase.outcome.progress === 'charging';
}
