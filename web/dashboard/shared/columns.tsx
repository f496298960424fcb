import { money } from '../../ui/decimal.ts';
import type { Column } from '../../ui/table.tsx';
import type { Chain, Payment, Subscription } from '../merchant-api.ts';
import { hrefOf, type Mode } from '../route.ts';
import { amountText } from './currencies.ts';
import { Moment } from './facts.tsx';
import { PaymentState, SubscriptionState } from './state-badges.tsx';

/** The columns of every list of subscriptions. */
export function subscriptionColumns(mode: Mode): readonly Column<Subscription>[] {
  return [
    { title: 'Offer', cell: ({ id, offerName }) => <a href={hrefOf(mode, 'subscriptions', id)}>{offerName}</a> },
    { title: 'Status', cell: SubscriptionState },
    { title: 'Price', cell: ({ priceAmount, priceCurrency }) => money(priceAmount, priceCurrency), isNumber: true },
    {
      title: 'Period end',
      cell: ({ currentPeriodEnd }) => (currentPeriodEnd === null ? '–' : <Moment at={currentPeriodEnd} />),
    },
    { title: 'Cycles', cell: ({ cyclesCompleted }) => cyclesCompleted, isNumber: true },
    {
      title: 'Customer',
      cell: ({ customerId }) => <a href={hrefOf(mode, 'customers', customerId)}>{customerId}</a>,
    },
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
    { title: 'Status', cell: PaymentState },
    { title: 'For', cell: (payment) => <Purpose mode={mode} payment={payment} /> },
    {
      title: 'You receive',
      cell: ({ merchantAmount, tokenKey }) => amountText(chains, merchantAmount, tokenKey),
      isNumber: true,
    },
    { title: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ];
}

/** What a payment is for, with a link. */
export function Purpose({ mode, payment }: { readonly mode: Mode; readonly payment: Payment }) {
  const { subscriptionId, offerId } = payment;
  if (subscriptionId !== null) return <a href={hrefOf(mode, 'subscriptions', subscriptionId)}>Subscription</a>;
  if (offerId !== null) return <a href={hrefOf(mode, 'offers', offerId)}>One-time offer</a>;
  return <>Direct charge</>;
}
