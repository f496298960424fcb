import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Names } from '../../../src/dashboard/wire.ts';
import { say } from '../../i18n/say.ts';
import { shortened } from '../../pay/words.ts';
import { Status } from '../../ui/badge.tsx';
import { Clipped } from '../../ui/clipped.tsx';
import { money } from '../../ui/decimal.ts';
import { queryOf } from '../../ui/own-api.ts';
import { isLess } from '../../ui/sum.ts';
import type { Columns } from '../../ui/table.tsx';
import { useLoad } from '../dashboard-api.ts';
import type { Chain, Payment, Subscription } from '../merchant-api.ts';
import { hrefOf, type Mode } from '../route.ts';
import { amountText } from './currencies.ts';
import { Moment } from './moment.tsx';
import { failureText, troubleOf } from './reasons.ts';
import { SubscriptionState } from './state-badges.tsx';

export function subscriptionColumns(mode: Mode): Columns<Subscription> {
  return {
    Offer: ({ id, offerName }) => <Clipped text={offerName} href={hrefOf(mode, 'subscriptions', id)} />,
    Customer: ({ customerId }) => <Named mode={mode} page="customers" id={customerId} />,
    Status: (subscription) => <State badge={<SubscriptionState {...subscription} />} why={troubleOf(subscription)} />,
    Price: {
      number: ({ priceAmount, priceCurrency, model }) =>
        `${money(priceAmount, priceCurrency)}${model === 'fixed' ? '' : ' a unit'}`,
    },
    'Period end': ({ currentPeriodEnd }) => (currentPeriodEnd === null ? '–' : <Moment at={currentPeriodEnd} />),
    Cycles: { number: ({ cyclesCompleted }) => cyclesCompleted },
    Created: ({ createdAt }) => <Moment at={createdAt} />,
  };
}

export function paymentColumns(mode: Mode, chains: readonly Chain[]): Columns<Payment> {
  return {
    Amount: {
      number: ({ id, amount, tokenKey }) => (
        <a href={hrefOf(mode, 'payments', id)}>{amountText(chains, amount, tokenKey)}</a>
      ),
    },
    Status: (payment) => (
      <State badge={<Status status={payment.status} />} why={failureText(payment) ?? refundedText(chains, payment)} />
    ),
    Customer: ({ customerId }) => (customerId === null ? '–' : <Named mode={mode} page="customers" id={customerId} />),
    For: (payment) => <Purpose mode={mode} payment={payment} />,
    'You receive': {
      number: ({ status, merchantAmount, tokenKey }) =>
        status === 'settled' || status === 'pulled' ? amountText(chains, merchantAmount, tokenKey) : '–',
    },
    Created: ({ createdAt }) => <Moment at={createdAt} />,
  };
}

/** The columns but some, which the page itself says. */
export function without<Row>(columns: Columns<Row>, ...titles: readonly string[]): Columns<Row> {
  return Object.fromEntries(Object.entries(columns).filter(([title]) => !titles.includes(title)));
}

function refundedText(chains: readonly Chain[], { refundedAmount, tokenKey }: Payment): string | null {
  return isLess('0', refundedAmount) ? `${amountText(chains, refundedAmount, tokenKey)} refunded` : null;
}

/** A state, and below it in words the fault, or the outcome. */
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
  const { subscriptionId, offerId, usage } = payment;
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
      {usage !== null && <span class="small soft"> for {say('usage.units', usage)}</span>}
    </div>
  );
}

/** What a row of a list names by ids. */
export interface Naming {
  readonly customerId?: string | null;
  readonly offerId?: string | null;
}

/** null: on their way. */
const Known = createContext<Names['names'] | null>(null);

interface WithNamesProps {
  readonly mode: Mode;
  readonly rows: readonly Naming[];
  readonly children: ComponentChildren;
}

/** Gets the names of the customers and offers of these rows, for `Named` inside. */
export function WithNames({ mode, rows, children }: WithNamesProps) {
  const all = rows.flatMap(({ customerId, offerId }) => [customerId ?? [], offerId ?? []].flat());
  const ids = [...new Set(all)].sort().join(',');
  const loaded = useLoad<Names>(ids === '' ? null : `/names${queryOf({ mode, ids })}`);
  return <Known.Provider value={loaded.value?.names ?? (loaded.error === null ? null : {})}>{children}</Known.Provider>;
}

interface NamedProps {
  readonly mode: Mode;
  readonly page: 'customers' | 'offers' | 'subscriptions' | 'payments';
  readonly id: string;
}

/** A link with the name, or with the beginning and the end of the id. */
export function Named({ mode, page, id }: NamedProps) {
  return <Clipped text={useNameOf()(id)} href={hrefOf(mode, page, id)} />;
}

/** The name for an id in a `WithNames`; while it is on its way, dots. */
export function useNameOf(): (id: string) => string {
  const known = useContext(Known);
  return (id) => (known === null ? '…' : (known[id] ?? shortened(id)));
}
