import type { ComponentChildren } from 'preact';
import { Clipped } from '../../ui/clipped.tsx';
import { money } from '../../ui/decimal.ts';
import type { Column } from '../../ui/table.tsx';
import type { Chain, Payment, Subscription } from '../merchant-api.ts';
import { hrefOf, type Mode } from '../route.ts';
import { amountText } from './currencies.ts';
import { Moment } from './facts.tsx';
import { Named } from './names.tsx';
import { failureText, troubleOf } from './reasons.ts';
import { PaymentState, SubscriptionState } from './state-badges.tsx';

/** The columns of every list of subscriptions. */
export function subscriptionColumns(mode: Mode): readonly Column<Subscription>[] {
  return [
    {
      title: 'Offer',
      cell: ({ id, offerName }) => <Clipped text={offerName} href={hrefOf(mode, 'subscriptions', id)} />,
    },
    { title: 'Customer', cell: ({ customerId }) => <Named mode={mode} page="customers" id={customerId} /> },
    {
      title: 'Status',
      cell: (subscription) => <State badge={<SubscriptionState {...subscription} />} why={troubleOf(subscription)} />,
    },
    { title: 'Price', cell: ({ priceAmount, priceCurrency }) => money(priceAmount, priceCurrency), isNumber: true },
    {
      title: 'Period end',
      cell: ({ currentPeriodEnd }) => (currentPeriodEnd === null ? '–' : <Moment at={currentPeriodEnd} />),
    },
    { title: 'Cycles', cell: ({ cyclesCompleted }) => cyclesCompleted, isNumber: true },
    { title: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ];
}

/** The columns of every list of payments. */
export function paymentColumns(mode: Mode, chains: readonly Chain[]): readonly Column<Payment>[] {
  return [
    {
      title: 'Amount',
      cell: ({ id, amount, tokenKey }) => (
        <a href={hrefOf(mode, 'payments', id)}>{amountText(chains, amount, tokenKey)}</a>
      ),
      isNumber: true,
    },
    {
      title: 'Status',
      cell: (payment) => <State badge={<PaymentState {...payment} />} why={failureText(payment)} />,
    },
    {
      title: 'Customer',
      cell: ({ customerId }) => (customerId === null ? '–' : <Named mode={mode} page="customers" id={customerId} />),
    },
    { title: 'For', cell: (payment) => <Purpose mode={mode} payment={payment} /> },
    {
      title: 'You receive',
      cell: ({ status, merchantAmount, tokenKey }) =>
        status === 'settled' || status === 'pulled' ? amountText(chains, merchantAmount, tokenKey) : '–',
      isNumber: true,
    },
    { title: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ];
}

/** A state, and below it what is wrong in words. */
function State({ badge, why }: { readonly badge: ComponentChildren; readonly why: string | null }) {
  return (
    <div>
      {badge}
      {why !== null && <div class="small">{why}</div>}
    </div>
  );
}

/** What a payment is for, with links. */
export function Purpose({ mode, payment }: { readonly mode: Mode; readonly payment: Payment }) {
  const { subscriptionId, offerId } = payment;
  if (offerId === null) return <>Direct charge</>;
  return (
    <div>
      <Named mode={mode} page="offers" id={offerId} />
      {subscriptionId === null ? (
        <span class="small soft">once</span>
      ) : (
        <a class="small" href={hrefOf(mode, 'subscriptions', subscriptionId)}>
          Subscription
        </a>
      )}
    </div>
  );
}
