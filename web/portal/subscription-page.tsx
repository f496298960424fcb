import type { ComponentChild } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { PortalDetail, PortalLink, PortalPayments } from '../../src/portal/wire.ts';
import { inChosenLanguage } from '../i18n/page-language.ts';
import { say, sayRich } from '../i18n/say.ts';
import { type Problem, problemOf } from '../pay/problem.ts';
import { FactList } from '../pay/views/fact-list.tsx';
import { LimitList } from '../pay/views/limit-list.tsx';
import { MerchantName } from '../pay/views/merchant-name.tsx';
import { OrderBar } from '../pay/views/order-bar.tsx';
import { ProblemNotice } from '../pay/views/problem-notice.tsx';
import { dateOf, recurringPrice } from '../pay/words.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { money } from '../ui/decimal.ts';
import { StatusRegion } from '../ui/status-region.tsx';
import { useTitle } from '../ui/use-title.ts';
import { Ending } from './ending.tsx';
import { get, pathOf, post } from './portal-api.ts';
import { Quantity } from './quantity.tsx';
import { Receipts } from './receipts.tsx';
import { TakeBack } from './take-back.tsx';
import { usePages } from './use-pages.ts';
import { nextChargeOf, stateOf, whyEnded } from './words.ts';

export interface SubscriptionPageProps {
  readonly id: string;
  readonly onBack: () => void;
  /** True: it was the end of the session, and the page shows that. */
  readonly onError: (error: unknown) => boolean;
}

/** One subscription: its state, its end, its limits and its receipts. */
export function SubscriptionPage({ id, onBack, onError }: SubscriptionPageProps) {
  const [detail, setDetail] = useState<PortalDetail | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const fail = useCallback(
    (error: unknown) => {
      if (!onError(error)) setProblem(problemOf(error, 'common.nothing_changed'));
    },
    [onError],
  );
  const reload = useCallback(() => {
    get<PortalDetail>(pathOf(id)).then(setDetail, fail);
  }, [id, fail]);
  useEffect(reload, [reload]);
  const changed = (now: PortalDetail) => {
    setProblem(null);
    setDetail(now);
  };
  return (
    <>
      <div>
        <Button variant="quiet" size="small" onClick={onBack}>
          {say('portal.all_subscriptions')}
        </Button>
      </div>
      {detail === null ? (
        <h1>{say(problem === null ? 'common.one_moment' : 'portal.subscription')}</h1>
      ) : (
        <Heading detail={detail} />
      )}
      {detail === null && <ProblemNotice problem={problem} />}
      {detail !== null && (
        <>
          <Quantity detail={detail} onChanged={changed} onError={fail} />
          <Ending detail={detail} onChanged={changed} onError={fail} />
          <Allowance detail={detail} onError={fail} />
          <OwnReceipts id={id} onError={fail} />
          {detail.asked !== null && (
            <TakeBack
              key={detail.payerWallet}
              {...{ detail, allowance: detail.asked, onDone: reload, onProblem: setProblem }}
            />
          )}
          <OrderBar order={null} problem={problem} />
        </>
      )}
    </>
  );
}

function Heading({ detail }: { readonly detail: PortalDetail }) {
  const { offerName, merchantName, isSandbox, price, asked, ticker, payerWallet, createdAt } = detail;
  const state = stateOf(detail);
  const why = whyEnded(detail);
  const paidIn = asked === null ? ticker : say('common.token_on_network', { ticker, network: asked.playing.label });
  useTitle(state.text, offerName, merchantName);
  return (
    <>
      <div class="stack-tight">
        <MerchantName name={merchantName} logoPath={detail.logoPath} />
        <h1>
          <bdi>{offerName}</bdi>
        </h1>
        <StatusRegion>
          <div class="row" data-part="state" data-status={detail.status}>
            <Badge tone={state.tone}>{state.text}</Badge>
            {isSandbox && <Badge tone="warn">{say('common.test_mode_no_money')}</Badge>}
          </div>
        </StatusRegion>
        {why !== null && <p>{why}</p>}
      </div>
      <FactList
        facts={[
          { name: say('portal.price'), value: recurringPrice(price) },
          { name: say('portal.paid_in'), value: paidIn },
          { name: say('portal.next_charge'), value: nextChargeOf(detail) },
          { name: say('portal.paid_by'), value: payerWallet ?? say('portal.no_wallet'), isCode: payerWallet !== null },
          { name: say('portal.since'), value: dateOf(createdAt) },
        ]}
      />
    </>
  );
}

interface AllowanceProps {
  readonly detail: PortalDetail;
  readonly onError: (error: unknown) => void;
}

/** What may still be charged: the rest of the approval, and the limits that were signed. */
function Allowance({ detail, onError }: AllowanceProps) {
  const { id, status, chain, mandate, asked, ticker } = detail;
  const [isBusy, setBusy] = useState(false);
  const authorize = () => {
    setBusy(true);
    post<PortalLink>(`${pathOf(id)}/authorization`).then(
      ({ url }) => location.assign(inChosenLanguage(url)),
      (error: unknown) => {
        setBusy(false);
        onError(error);
      },
    );
  };
  return (
    <section class="stack" aria-labelledby="allowance-title" data-part="allowance">
      <h2 id="allowance-title">{say('portal.may_be_charged')}</h2>
      {chain === null ? (
        <p class="soft">{say('portal.chain_silent')}</p>
      ) : (
        <p>
          {sayRich<ComponentChild>(asked !== null && asked.lines.length > 1 ? 'portal.left_for_all' : 'portal.left', {
            left: money(chain.allowance, ticker),
            b: (parts) => <strong data-part="allowance-left">{parts}</strong>,
          })}
        </p>
      )}
      {mandate === null ? (
        <p>{say('portal.no_limits')}</p>
      ) : (
        <details>
          <summary>{say('portal.limits')}</summary>
          <LimitList mandate={mandate} ticker={ticker} />
        </details>
      )}
      {status !== 'canceled' && (
        <div class="stack-tight">
          <p class="small soft">{say('portal.authorize_text')}</p>
          <div>
            <Button busy={isBusy} onClick={authorize}>
              {say('portal.authorize')}
            </Button>
          </div>
        </div>
      )}
    </section>
  );
}

function OwnReceipts({ id, onError }: { readonly id: string; readonly onError: (error: unknown) => void }) {
  const path = `/payments?subscriptionId=${encodeURIComponent(id)}` as const;
  const { items, more } = usePages(path, ({ payments }: PortalPayments) => payments, onError);
  return items === null ? null : <Receipts title={say('portal.receipts')} payments={items} more={more} />;
}
