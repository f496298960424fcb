import { useEffect, useState } from 'preact/hooks';
import { withCode } from '../../../machines/rules/discount-words.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { say } from '../../i18n/say.ts';
import { discountText } from '../../pay/discount.ts';
import { Usage as UsageFacts } from '../../pay/views/usage.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { decimal, money } from '../../ui/decimal.ts';
import { Notice } from '../../ui/notice.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { Facts, Panel } from '../../ui/panel.tsx';
import { isLess } from '../../ui/sum.ts';
import { post, useLoad } from '../dashboard-api.ts';
import { OwnLetters } from '../letters/own-letters.tsx';
import type { BulkAction } from '../list/bulk.tsx';
import { ATTENTIONS, choiceOf, ListPage } from '../list/list-page.tsx';
import type {
  Chain,
  Offer,
  Payment,
  Payments,
  Subscription,
  SubscriptionStatusView,
  Subscriptions,
  Usage,
} from '../merchant-api.ts';
import { priceOfQuantity, priceText } from '../offers/price-text.ts';
import { useOfferFilter } from '../offers/use-offers.ts';
import { hrefOf, type Mode, type ResourceProps, type Route } from '../route.ts';
import { Named, paymentColumns, subscriptionColumns, WithNames, without } from '../shared/columns.tsx';
import { tickerOf, tokenText } from '../shared/currencies.ts';
import { Latest } from '../shared/latest.tsx';
import { Moment, momentText } from '../shared/moment.tsx';
import { blockText, failureText } from '../shared/reasons.ts';
import { ResourcePage } from '../shared/resource-page.tsx';
import { SUBSCRIPTION_STATUSES, SubscriptionState } from '../shared/state-badges.tsx';
import { useChains } from '../shared/use-chains.ts';
import { SubscriptionActions } from './subscription-actions.tsx';

export function SubscriptionPage({ mode, id }: ResourceProps) {
  const loaded = useLoad<SubscriptionStatusView>(`/${mode}/subscriptions/${id}`);
  const { value } = loaded;
  const [round, setRound] = useState(1);
  const { subscription: terms, reload: reloadTerms } = useTerms(mode, id, value?.customerId ?? null);
  const offer = useLoad<Offer>(terms === null ? null : `/${mode}/offers/${terms.offerId}`).value;
  const newest = useLoad<Payments>(value?.lastInvoice ? `/${mode}/payments?subscriptionId=${id}&limit=1` : null);
  const chains = useChains(mode);
  const nextAttemptAt = newest.value?.payments[0]?.nextAttemptAt ?? null;
  const reload = () => {
    loaded.reload();
    reloadTerms();
    newest.reload();
    setRound((before) => before + 1);
  };
  const badge = value && (
    <span class="row" data-part="status">
      <SubscriptionState {...value} />
    </span>
  );
  return (
    <ResourcePage {...{ mode, loaded, badge }} list="subscriptions" title={terms?.offerName ?? 'Subscription'}>
      {(view) => (
        <>
          <Troubles view={view} />
          <SubscriptionActions {...{ mode, view, terms, offer, reload }} />
          {view.model === 'metered' && <UsageSoFar key={round} {...{ mode, id, offer, terms, chains }} />}
          <SubscriptionFacts {...{ mode, view, terms, offer, nextAttemptAt, chains }} />
          <Latest
            key={round}
            mode={mode}
            list="payments"
            of={{ subscriptionId: id }}
            columns={{
              ...without(paymentColumns(mode, chains), 'For', 'Customer'),
              ...(view.model === 'metered' && { Used: { number: usedText } }),
            }}
            empty="There is no payment yet."
          />
          <OwnLetters mode={mode} about={id} />
        </>
      )}
    </ResourcePage>
  );
}

/** A read by id has the state alone. Offer and price are in the list, among the subscriptions of the customer. */
function useTerms(mode: Mode, id: string, customerId: string | null) {
  const [startingAfter, setStartingAfter] = useState<string | null>(null);
  const query = queryOf({ customerId, limit: '100', startingAfter });
  const { value: page, reload } = useLoad<Subscriptions>(customerId === null ? null : `/${mode}/subscriptions${query}`);
  const subscription = page?.subscriptions.find((each) => each.id === id) ?? null;
  const last = page?.subscriptions.at(-1)?.id ?? null;
  const isBehind = subscription === null && page?.hasMore === true;
  useEffect(() => {
    if (isBehind) setStartingAfter(last);
  }, [isBehind, last]);
  return { subscription, reload };
}

function Troubles({ view }: { readonly view: SubscriptionStatusView }) {
  const { status, lastInvoice, consecutiveFailures } = view;
  const block = blockText(view);
  const failure = status === 'past_due' && lastInvoice !== null ? failureText(lastInvoice) : null;
  return (
    <>
      {block !== null && (
        <Notice tone="warn" title="A charge waits">
          {block}
        </Notice>
      )}
      {failure !== null && (
        <Notice tone="warn" title="The last charge has failed">
          {failure} Failed attempts in a row: {consecutiveFailures}.
        </Notice>
      )}
    </>
  );
}

function usedText({ usage }: Payment): string {
  return usage === null ? '–' : say('usage.units', usage);
}

type UsageSoFarProps = Pick<FactsProps, 'mode' | 'terms' | 'offer' | 'chains'> & { readonly id: string };

function UsageSoFar({ mode, id, terms, offer, chains }: UsageSoFarProps) {
  const usage = useLoad<Usage>(`/${mode}/subscriptions/${id}/usage`).value;
  if (usage === null) return null;
  const aboveCap = offer?.pricing.find((each) => each.id === terms?.offerPriceId)?.aboveCap ?? 'carry';
  const { unitsLeft, tokenKey, unchargedAmount, to } = usage;
  const ticker = tickerOf(chains, tokenKey);
  const uncharged = isLess('0', unchargedAmount) ? money(unchargedAmount, ticker) : null;
  if (to === null) return uncharged && <Notice>{uncharged} was used and not charged.</Notice>;
  return (
    <Panel title="Use of this period" look="stack-tight">
      <UsageFacts usage={usage} aboveCap={aboveCap} ticker={ticker} />
      {uncharged !== null && <p class="small soft">{uncharged} would not be charged if it ended now.</p>}
      {unitsLeft !== null && unitsLeft > 0 && (
        <p class="small soft">{decimal(String(unitsLeft))} more units fit below the most of a charge.</p>
      )}
    </Panel>
  );
}

interface FactsProps {
  readonly mode: Mode;
  readonly view: SubscriptionStatusView;
  readonly terms: Subscription | null;
  readonly offer: Offer | null;
  readonly nextAttemptAt: string | null;
  readonly chains: readonly Chain[];
}

function SubscriptionFacts({ mode, view, terms, offer, nextAttemptAt, chains }: FactsProps) {
  const { id, customerId, currentPeriodEnd, trialEnd, payerWallet, tokenKey, discount } = view;
  const option = offer?.pricing.find((each) => each.id === terms?.offerPriceId);
  const price =
    option === undefined
      ? terms && money(terms.priceAmount, terms.priceCurrency)
      : priceOfQuantity(option, view.quantity);
  const most = option?.maxCycles ?? null;
  const isMetered = view.model === 'metered';
  return (
    <Panel title="Details" look="stack-tight">
      <Facts
        facts={[
          ['Price', price],
          ['Discount', discount && withCode(discountText(discount, tickerOf(chains, tokenKey)), discount)],
          ['Token', tokenText(chains, tokenKey)],
          ['Next charge', <NextCharge view={view} nextAttemptAt={nextAttemptAt} />],
          [isMetered ? 'Period to' : 'Paid until', currentPeriodEnd && <Moment at={currentPeriodEnd} />],
          ['Trial end', isMetered ? null : trialEnd && <Moment at={trialEnd} />],
          ['Paid cycles', `${view.cyclesCompleted}${most === null ? '' : ` of ${most}`}`],
          ['Failed attempts in a row', view.consecutiveFailures],
          ['Approval', view.allowanceConfirmed ? 'Covers the next charge' : 'Does not cover the next charge'],
          ['Payer wallet', payerWallet === null ? 'None yet' : <Copyable what="wallet" text={payerWallet} />],
          [
            'Customer',
            <WithNames mode={mode} rows={[view]}>
              <Named mode={mode} page="customers" id={customerId} />
            </WithNames>,
          ],
          ['Offer', terms && <a href={hrefOf(mode, 'offers', terms.offerId)}>{terms.offerName}</a>],
          ['Change', changeText(view, offer)],
          ['Id', <Copyable what="id" text={id} />],
          ['Created', terms && <Moment at={terms.createdAt} />],
          ...Object.entries(view.customVariables).map(([key, value]) => [`Variable ${key}`, String(value)] as const),
        ]}
      />
    </Panel>
  );
}

/** "To 99 USD every year with the next period; waits for the payer"; null: none is open. */
function changeText({ pendingChange }: SubscriptionStatusView, offer: Offer | null): string | null {
  if (pendingChange === null) return null;
  const { priceId, when, proration, isAuthorized } = pendingChange;
  const option = offer?.pricing.find(({ id }) => id === priceId);
  const credit = proration === 'credit' ? ', with a credit for unused time' : '';
  const begins = when === 'now' ? `at once${credit}` : 'with the next period';
  const waits = isAuthorized ? 'the payer has authorized it' : 'it waits for the payer';
  return `To ${option === undefined ? priceId : priceText(option)} ${begins}; ${waits}`;
}

function NextCharge({ view, nextAttemptAt }: Pick<FactsProps, 'view' | 'nextAttemptAt'>) {
  const { status, currentPeriodEnd, trialEnd, cancelAt, allowanceConfirmed, isPaused } = view;
  switch (status) {
    case 'canceled':
      return <>None</>;
    case 'pending':
      if (cancelAt !== null) return <>None</>;
      if (trialEnd !== null && allowanceConfirmed) return <Moment at={trialEnd} />;
      return <>Once the payer has authorized it</>;
    case 'active':
      if (isPaused) return <>After the pause</>;
      return cancelAt === null && currentPeriodEnd !== null ? <Moment at={currentPeriodEnd} /> : <>None</>;
    case 'past_due':
      if (nextAttemptAt === null) return <>When you retry, or the payer approves</>;
      return (
        <>
          Tried again on <Moment at={nextAttemptAt} />
        </>
      );
    default:
      return unknownCase(status, 'status');
  }
}

const VIEWS = [
  { name: 'Active', filters: { status: 'active' } },
  { name: 'Past due', filters: { status: 'past_due' } },
  ...ATTENTIONS.map(([attention, name]) => ({ name, filters: { attention } })),
];

export function SubscriptionList({ route }: { readonly route: Route }) {
  const offer = useOfferFilter(route.mode);
  return (
    <ListPage<Subscriptions, Subscription>
      route={route}
      create="Create a subscription"
      filters={[
        choiceOf('status', 'Status', SUBSCRIPTION_STATUSES),
        choiceOf('attention', 'At risk', ATTENTIONS),
        offer,
      ]}
      views={VIEWS}
      rowsOf={({ subscriptions }) => subscriptions}
      columns={subscriptionColumns(route.mode)}
      actions={actionsOf(route.mode)}
      empty={
        <>
          There are no subscriptions yet. Give people the checkout link of an{' '}
          <a href={hrefOf(route.mode, 'offers')}>offer</a>.
        </>
      }
    />
  );
}

function actionsOf(mode: Mode): readonly BulkAction<Subscription>[] {
  const nameOf = ({ offerName, createdAt }: Subscription) => `${offerName}, since ${momentText(createdAt)}`;
  const send = (action: 'retry' | 'cancel', { id }: Subscription, body: { readonly atPeriodEnd?: boolean } = {}) =>
    post(`/${mode}/subscriptions/${id}/${action}`, body);
  const isOver = ({ status }: Subscription) => (status === 'canceled' ? 'it is canceled' : null);
  return [
    {
      verb: 'Retry',
      done: 'tried again',
      text: 'Each failed or blocked charge is tried once more now. A charge that settles takes money.',
      exceptFor: ({ status, blockedReason }) =>
        status === 'past_due' || blockedReason !== null ? null : 'no charge has failed or waits',
      run: (subscription) => send('retry', subscription),
      nameOf,
    },
    {
      verb: 'Cancel at period end',
      done: 'will end',
      isDanger: true,
      text: 'Each ends when its paid period does, and can be resumed until then. One without a paid period ends now.',
      exceptFor: (one) => isOver(one) ?? (one.cancelAt === null ? null : 'its end is set already'),
      run: (subscription) => send('cancel', subscription, { atPeriodEnd: true }),
      nameOf,
    },
    {
      verb: 'Cancel now',
      done: 'canceled',
      isDanger: true,
      text: 'Each ends now, for good. A charge that has been started may still settle.',
      exceptFor: isOver,
      run: (subscription) => send('cancel', subscription, { atPeriodEnd: false }),
      nameOf,
    },
  ];
}
