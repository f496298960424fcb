import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useSelector } from '../../ui/use-selector.ts';
import { useTitle } from '../../ui/use-title.ts';
import { hasRole, session } from '../access/session.ts';
import { dashboardApi, dashboardFetch, useLoad } from '../dashboard-api.ts';
import { type Filter, METADATA_FILTER } from '../list/filters.ts';
import { ListPage } from '../list/list-page.tsx';
import type { Chain, Payment, Payments } from '../merchant-api.ts';
import { hrefOf, type Mode, type Route } from '../route.ts';
import { ActionDialog } from '../shared/action-dialog.tsx';
import { Purpose, paymentColumns } from '../shared/columns.tsx';
import { amountText, tokenText, useChains } from '../shared/currencies.ts';
import { Copyable, Facts, Moment } from '../shared/facts.tsx';
import { NotLoaded } from '../shared/not-loaded.tsx';
import { blockText, failureText } from '../shared/reasons.ts';
import { PAYMENT_STATUSES, PaymentState } from '../shared/state-badges.tsx';

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', options: PAYMENT_STATUSES },
  {
    name: 'source',
    label: 'Source',
    options: [
      ['one_time', 'One-time'],
      ['subscription', 'Subscription'],
    ],
  },
  { name: 'customerId', label: 'Customer id' },
  { name: 'subscriptionId', label: 'Subscription id' },
  { name: 'offerId', label: 'Offer id' },
  METADATA_FILTER,
];

/** All pages about payments. */
export function PaymentsPage({ route }: { readonly route: Route }) {
  return route.id === null ? <PaymentList route={route} /> : <PaymentPage mode={route.mode} id={route.id} />;
}

function PaymentList({ route }: { readonly route: Route }) {
  const chains = useChains(route.mode);
  return (
    <ListPage<Payments, Payment>
      route={route}
      title="Payments"
      filters={FILTERS}
      rowsOf={({ payments }) => payments}
      columns={paymentColumns(route.mode, chains)}
      empty={
        <>
          There are no payments yet. Give people the checkout link of an{' '}
          <a href={hrefOf(route.mode, 'offers')}>offer</a>.
        </>
      }
    />
  );
}

function PaymentPage({ mode, id }: { readonly mode: Mode; readonly id: string }) {
  const loaded = useLoad<Payment>(`/${mode}/payments/${id}`);
  const { value: payment, error, reload } = loaded;
  const chains = useChains(mode);
  const title = payment === null ? 'Payment' : amountText(chains, payment.amount, payment.tokenKey);
  useTitle(title, 'Tideline dashboard');
  if (error !== null || payment === null) return <NotLoaded loaded={loaded} mode={mode} list="payments" />;
  const failure = failureText(payment);
  const block = blockText(payment);
  return (
    <>
      <p>
        <a href={hrefOf(mode, 'payments')}>Payments</a>
      </p>
      <div class="spread">
        <h1>{title}</h1>
        <PaymentState status={payment.status} />
      </div>
      {failure !== null && (
        <Notice tone="warn" title={failure}>
          {payment.nextAttemptAt !== null && (
            <>
              The next attempt is on <Moment at={payment.nextAttemptAt} />.
            </>
          )}
        </Notice>
      )}
      {block !== null && <Notice tone="warn" title={block} />}
      <PaymentActions mode={mode} payment={payment} reload={reload} />
      <Amounts payment={payment} chains={chains} />
      <Transactions payment={payment} />
      <Details mode={mode} payment={payment} />
    </>
  );
}

interface PaymentActionsProps {
  readonly mode: Mode;
  readonly payment: Payment;
  readonly reload: () => void;
}

function PaymentActions({ mode, payment: { id, status, source }, reload }: PaymentActionsProps) {
  const [isCanceling, setCanceling] = useState(false);
  const { isBusy, problem, act } = useAction();
  const mayAct = useSelector(session, (context) => hasRole(context, 'member'));
  const prove = async () => {
    // The signature covers the bytes, so they are saved as they came.
    const proof = await dashboardFetch(`/${mode}/payments/${id}/proof`);
    saveFile(`proof-${id}.json`, await proof.text(), 'application/json');
  };
  const cancel = async () => {
    await dashboardApi(`/${mode}/payments/${id}/cancel`, { method: 'POST', body: {} });
    toast('The payment is canceled.', 'good');
    reload();
  };
  return (
    <>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <div class="row">
        {status === 'settled' && (
          <Button busy={isBusy} onClick={() => void act(prove)}>
            Download the proof
          </Button>
        )}
        {mayAct && status === 'pending' && source === 'one_time' && (
          <Button variant="danger" onClick={() => setCanceling(true)}>
            Cancel the payment
          </Button>
        )}
        <Button variant="quiet" onClick={reload}>
          Refresh
        </Button>
      </div>
      {isCanceling && (
        <ActionDialog
          title="Cancel the payment"
          action="Cancel it"
          isDanger
          run={cancel}
          onClose={() => setCanceling(false)}
        >
          <p>This is possible while no charge has been started. It cannot be undone.</p>
        </ActionDialog>
      )}
    </>
  );
}

function Amounts({ payment, chains }: { readonly payment: Payment; readonly chains: readonly Chain[] }) {
  const { amount, platformAmount, merchantAmount, tokenKey } = payment;
  return (
    <section class="card stack-tight">
      <h2>Amounts</h2>
      <Facts
        facts={[
          ['Token', tokenText(chains, tokenKey)],
          ['Paid', amountText(chains, amount, tokenKey)],
          ['Fee', amountText(chains, platformAmount, tokenKey)],
          ['You receive', amountText(chains, merchantAmount, tokenKey)],
        ]}
      />
    </section>
  );
}

/** Normally one transaction does everything. */
function Transactions({ payment }: { readonly payment: Payment }) {
  const { pullTxHash, forwardTxHash, platformTransferTxHash, distributeTxHash } = payment;
  const hash = (text: string | null) =>
    text === null ? null : text === pullTxHash ? 'The same transaction' : <Copyable what="transaction" text={text} />;
  return (
    <section class="card stack-tight">
      <h2>Transactions</h2>
      <Facts
        facts={[
          ['Charge', pullTxHash === null ? 'None yet' : <Copyable what="transaction" text={pullTxHash} />],
          ['Payout', hash(forwardTxHash)],
          ['Fee', hash(platformTransferTxHash)],
          ['Splits', hash(distributeTxHash)],
          ['From wallet', payment.fromWallet && <Copyable what="wallet" text={payment.fromWallet} />],
          ['To wallet', payment.toWallet && <Copyable what="address" text={payment.toWallet} />],
          ['Refund wallet', payment.refundWallet && <Copyable what="refund wallet" text={payment.refundWallet} />],
        ]}
      />
    </section>
  );
}

const METHODS: { readonly [M in Payment['paymentMethod']]: string } = {
  wallet_connect: 'Pulled from a wallet that has approved',
  wallet_transfer: 'Sent to a deposit address',
};

function Details({ mode, payment }: { readonly mode: Mode; readonly payment: Payment }) {
  const { id, customerId, periodStart, periodEnd, paymentMethod, attempts, metadata, createdAt } = payment;
  return (
    <section class="card stack-tight">
      <h2>Details</h2>
      <Facts
        facts={[
          ['Id', <Copyable what="id" text={id} />],
          ['For', <Purpose mode={mode} payment={payment} />],
          ['Customer', customerId && <a href={hrefOf(mode, 'customers', customerId)}>{customerId}</a>],
          ['Period from', periodStart && <Moment at={periodStart} />],
          ['Period to', periodEnd && <Moment at={periodEnd} />],
          ['Method', METHODS[paymentMethod]],
          ['Attempts', attempts],
          ['Created', <Moment at={createdAt} />],
          ...Object.entries(metadata).map(([key, value]) => [`Metadata ${key}`, value] as const),
        ]}
      />
    </section>
  );
}
