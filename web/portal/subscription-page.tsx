import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { withCode } from '../../machines/rules/discount-words.ts';
import type { PortalDetail, PortalLink, PortalPayments } from '../../src/portal/wire.ts';
import { inChosenLanguage } from '../i18n/page-language.ts';
import { say, sayRich } from '../i18n/say.ts';
import { discountText } from '../pay/discount.ts';
import { type Problem, problemOf } from '../pay/problem.ts';
import { Conditions } from '../pay/views/conditions.tsx';
import { LimitList } from '../pay/views/limit-list.tsx';
import { MerchantName } from '../pay/views/merchant-name.tsx';
import { OrderBar } from '../pay/views/order-bar.tsx';
import { ProblemNotice } from '../pay/views/problem-notice.tsx';
import { Usage } from '../pay/views/usage.tsx';
import { dateOf, recurringPrice } from '../pay/words.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { money } from '../ui/decimal.ts';
import { StatusRegion } from '../ui/notice.tsx';
import { Facts } from '../ui/panel.tsx';
import { type Action, useAction } from '../ui/use-action.ts';
import { useTitle } from '../ui/use-title.ts';
import { Ending } from './ending.tsx';
import { InvoiceDetails } from './invoice-details.tsx';
import { Pause } from './pause.tsx';
import { Plan } from './plan.tsx';
import { pathOf, post, useLoad, usePages } from './portal-api.ts';
import { Quantity } from './quantity.tsx';
import { Receipts } from './receipts.tsx';
import { TakeBack } from './take-back.tsx';
import { nextChargeOf, stateOf, whyEnded } from './words.ts';

/** One subscription: its state, its end, its limits and its receipts. */
export function SubscriptionPage({ id, onBack }: { readonly id: string; readonly onBack: () => void }) {
  const { value: detail, failure: unread, reload } = useLoad<PortalDetail>(pathOf(id));
  const { isBusy, failure: refused, act } = useAction();
  const change = async (path: string, body?: object) => {
    const isChanged = await act(() => post(`${pathOf(id)}${path}`, body));
    if (isChanged) reload();
    return isChanged;
  };
  const ofThis = `/payments?subscriptionId=${encodeURIComponent(id)}` as const;
  const payments = usePages(ofThis, (answer: PortalPayments) => answer.payments);
  const failure = unread ?? payments.failure ?? refused;
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => setProblem(failure === null ? null : problemOf(failure, 'common.nothing_changed')), [failure]);
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
          {detail.usage !== null && detail.status !== 'canceled' && (
            <section class="stack" aria-labelledby="usage-title" data-part="usage">
              <h2 id="usage-title">{say('usage.title')}</h2>
              <Usage usage={detail.usage} aboveCap={detail.price.metered?.aboveCap ?? 'carry'} ticker={detail.ticker} />
            </section>
          )}
          <Quantity {...{ detail, isBusy, change }} />
          <Plan {...{ detail, isBusy, act, change }} />
          <Pause {...{ detail, isBusy, change }} />
          <Ending {...{ detail, isBusy, change }} />
          <Allowance {...{ detail, isBusy, act }} />
          {payments.items !== null && (
            <Receipts title={say('portal.receipts')} payments={payments.items} more={payments.more} />
          )}
          {detail.invoicedTo !== null && <InvoiceDetails party={detail.invoicedTo} {...{ isBusy, change }} />}
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
  const { offerName, label, merchantName, isSandbox, price, discount, asked, ticker, payerWallet, createdAt } = detail;
  const state = stateOf(detail);
  const why = whyEnded(detail);
  const paidIn = asked === null ? ticker : say('common.token_on_network', { ticker, network: asked.playing.label });
  useTitle(state.text, offerName, merchantName);
  return (
    <>
      <div class="stack-tight">
        <MerchantName name={merchantName} logoPath={detail.logoPath} />
        <h1>
          <bdi>{label === null ? offerName : say('checkout.name_with', { name: offerName, detail: label })}</bdi>
        </h1>
        <StatusRegion>
          <div class="row" data-part="state" data-status={detail.status}>
            <Badge tone={state.tone}>{state.text}</Badge>
            {isSandbox && <Badge tone="warn">{say('common.test_mode_no_money')}</Badge>}
          </div>
        </StatusRegion>
        {why !== null && <p>{why}</p>}
      </div>
      <Facts
        facts={[
          [
            say('checkout.price'),
            <>
              {recurringPrice(price)}
              <Conditions of={{ ...price, trialDays: null, maxCycles: null }} />
            </>,
          ],
          [say('discount.title'), discount && withCode(discountText(discount, ticker), discount)],
          [say('portal.paid_in'), paidIn],
          [say('receipt.next_charge'), nextChargeOf(detail)],
          [say('portal.paid_by'), payerWallet === null ? say('portal.no_wallet') : <code>{payerWallet}</code>],
          [say('portal.since'), dateOf(createdAt)],
        ]}
      />
    </>
  );
}

/** What may still be charged: the rest of the approval, and the limits that were signed. */
function Allowance({ detail, isBusy, act }: Pick<Action, 'isBusy' | 'act'> & { readonly detail: PortalDetail }) {
  const { id, status, chain, mandate, asked, ticker } = detail;
  const authorize = async () => {
    const { url } = await post<PortalLink>(`${pathOf(id)}/authorization`);
    location.assign(inChosenLanguage(url));
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
            <Button busy={isBusy} onClick={() => void act(authorize)}>
              {say('portal.authorize')}
            </Button>
          </div>
        </div>
      )}
    </section>
  );
}
