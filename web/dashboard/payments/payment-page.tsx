import { withCode } from '../../../machines/rules/discount-words.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { say } from '../../i18n/say.ts';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { Status } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useAction } from '../../ui/use-action.ts';
import { fetchOwn, post, useLoad, useRole } from '../dashboard-api.ts';
import type { BulkAction } from '../list/bulk.tsx';
import { choiceOf, ListPage, METADATA_FILTER } from '../list/list-page.tsx';
import type { Chain, Payment, Payments } from '../merchant-api.ts';
import { useOfferFilter } from '../offers/use-offers.ts';
import { hrefOf, type Mode, type ResourceProps, type Route } from '../route.ts';
import { Named, Purpose, paymentColumns, WithNames } from '../shared/columns.tsx';
import { amountText, tokenText } from '../shared/currencies.ts';
import { Moment, momentText } from '../shared/moment.tsx';
import { blockText, failureText } from '../shared/reasons.ts';
import { ResourcePage } from '../shared/resource-page.tsx';
import { PAYMENT_STATUSES } from '../shared/state-badges.tsx';
import { useChains } from '../shared/use-chains.ts';
import { RefundsPanel } from './refunds-panel.tsx';

export function PaymentPage({ mode, id }: ResourceProps) {
  const loaded = useLoad<Payment>(`/${mode}/payments/${id}`);
  const { value, reload } = loaded;
  const chains = useChains(mode);
  const title = value === null ? 'Payment' : amountText(chains, value.amount, value.tokenKey);
  const badge = value && <Status status={value.status} />;
  return (
    <ResourcePage {...{ mode, loaded, title, badge }} list="payments">
      {(payment) => (
        <>
          <Troubles payment={payment} />
          <PaymentActions mode={mode} payment={payment} reload={reload} />
          <Amounts payment={payment} chains={chains} />
          <RefundsPanel {...{ mode, payment, chains }} />
          <Transactions payment={payment} />
          <WithNames mode={mode} rows={[payment]}>
            <Details mode={mode} payment={payment} />
          </WithNames>
        </>
      )}
    </ResourcePage>
  );
}

function Troubles({ payment }: { readonly payment: Payment }) {
  const failure = failureText(payment);
  const block = blockText(payment);
  return (
    <>
      {payment.status === 'pending' && payment.nextAttemptAt !== null && (
        <Notice>
          The payer's mandate allows this charge from <Moment at={payment.nextAttemptAt} /> on.
        </Notice>
      )}
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
    </>
  );
}

interface PaymentActionsProps {
  readonly mode: Mode;
  readonly payment: Payment;
  readonly reload: () => void;
}

function PaymentActions({ mode, payment: { id, status, source }, reload }: PaymentActionsProps) {
  const { ask, dialog } = useQuestion();
  const { isBusy, problem, act } = useAction();
  const mayAct = useRole('member');
  const prove = async () => {
    // The signature covers the bytes, so they are saved as they came.
    const proof = await fetchOwn(`/${mode}/payments/${id}/proof`);
    saveFile(`proof-${id}.json`, await proof.text(), 'application/json');
  };
  const invoice = async () => {
    const pdf = await fetchOwn(`/${mode}/payments/${id}/invoice.pdf`);
    saveFile(
      /filename="([^"]+)"/.exec(pdf.headers.get('Content-Disposition') ?? '')?.[1] ?? `${id}.pdf`,
      await pdf.blob(),
    );
  };
  const askToCancel = () =>
    ask({
      title: 'Cancel the payment',
      action: 'Cancel it',
      isDanger: true,
      text: 'This is possible while no charge has been started. It cannot be undone.',
      done: 'The payment is canceled.',
      run: () => post(`/${mode}/payments/${id}/cancel`).then(reload),
    });
  return (
    <>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <div class="row">
        {status === 'settled' && (
          <Button busy={isBusy} onClick={() => void act(prove)}>
            Download the proof
          </Button>
        )}
        {status === 'settled' && (
          <Button busy={isBusy} onClick={() => void act(invoice)}>
            Download the invoice
          </Button>
        )}
        {mayAct && status === 'pending' && source === 'one_time' && (
          <Button variant="danger" onClick={askToCancel}>
            Cancel the payment
          </Button>
        )}
        <Button variant="quiet" onClick={reload}>
          Refresh
        </Button>
      </div>
      {dialog}
    </>
  );
}

/** What each amount is in this state. Nothing was paid where no charge has taken money from the wallet. */
function amountNames({ status, pullTxHash }: Payment): readonly [amount: string, fee: string, rest: string] | null {
  switch (status) {
    case 'settled':
      return ['Paid', 'Fee', 'You receive'];
    case 'pending':
      return ['To be paid', 'Fee of it', 'You will receive'];
    case 'pulled':
      return ['Paid, not final yet', 'Fee', 'You will receive'];
    case 'failed':
      return pullTxHash === null ? null : ['Taken from the wallet', 'Fee of it', 'Your share, see the reason above'];
    case 'canceled':
      return null;
    default:
      return unknownCase(status, 'status');
  }
}

function Amounts({ payment, chains }: { readonly payment: Payment; readonly chains: readonly Chain[] }) {
  const { amount, platformAmount, merchantAmount, discount, credit, tokenKey } = payment;
  const names = amountNames(payment);
  const text = (each: string) => amountText(chains, each, tokenKey);
  const [gross = 'Asked for', fee = '', rest = ''] = names ?? [];
  return (
    <Panel title="Amounts" look="stack-tight">
      <Facts
        facts={[
          ['Token', tokenText(chains, tokenKey)],
          ['Discount', discount && withCode(text(discount.amount), discount)],
          ['Credit for unused time', credit && text(credit.amount)],
          [gross, text(amount)],
          ...(names === null
            ? [['Paid', 'Nothing'] as const]
            : [[fee, text(platformAmount)] as const, [rest, text(merchantAmount)] as const]),
        ]}
      />
    </Panel>
  );
}

/** Normally one transaction does everything. */
function Transactions({ payment }: { readonly payment: Payment }) {
  const { pullTxHash, forwardTxHash, platformTransferTxHash, distributeTxHash } = payment;
  const hash = (text: string | null) =>
    text === null ? null : text === pullTxHash ? 'The same transaction' : <Copyable what="transaction" text={text} />;
  return (
    <Panel title="Transactions" look="stack-tight">
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
    </Panel>
  );
}

const METHODS: { readonly [M in Payment['paymentMethod']]: string } = {
  wallet_connect: 'Pulled from a wallet that has approved',
  wallet_transfer: 'Sent to a deposit address',
};

function Details({ mode, payment }: { readonly mode: Mode; readonly payment: Payment }) {
  const { id, customerId, periodStart, periodEnd, usage, paymentMethod, attempts, metadata, createdAt } = payment;
  return (
    <Panel title="Details" look="stack-tight">
      <Facts
        facts={[
          ['Id', <Copyable what="id" text={id} />],
          ['For', <Purpose mode={mode} payment={payment} />],
          ['Customer', customerId && <Named mode={mode} page="customers" id={customerId} />],
          ['Period from', periodStart && <Moment at={periodStart} />],
          ['Period to', periodEnd && <Moment at={periodEnd} />],
          ['Used in it', usage && say('usage.units', usage)],
          ['Method', METHODS[paymentMethod]],
          ['Attempts', attempts],
          ['Created', <Moment at={createdAt} />],
          ...Object.entries(metadata).map(([key, value]) => [`Metadata ${key}`, value] as const),
        ]}
      />
    </Panel>
  );
}

const SOURCE = choiceOf('source', 'Source', Object.entries({ one_time: 'One-time', subscription: 'Subscription' }));

const VIEWS = [
  { name: 'Failed', filters: { status: 'failed' } },
  { name: 'Settled', filters: { status: 'settled' } },
  { name: 'On their way', filters: { status: 'pending' } },
];

export function PaymentList({ route }: { readonly route: Route }) {
  const chains = useChains(route.mode);
  const offer = useOfferFilter(route.mode);
  return (
    <ListPage<Payments, Payment>
      route={route}
      filters={[choiceOf('status', 'Status', PAYMENT_STATUSES), SOURCE, offer, METADATA_FILTER]}
      views={VIEWS}
      rowsOf={({ payments }) => payments}
      columns={paymentColumns(route.mode, chains)}
      actions={actionsOf(route.mode, chains)}
      sumsOf={({ totals }) => <Sums totals={totals} chains={chains} />}
      empty={
        <>
          There are no payments yet. Give people the checkout link of an{' '}
          <a href={hrefOf(route.mode, 'offers')}>offer</a>.
        </>
      }
    />
  );
}

/** The sums of all pages, by token. Payments that have not ended are in none. */
function Sums({ totals, chains }: { readonly totals: Payments['totals']; readonly chains: readonly Chain[] }) {
  if (totals === undefined) return null;
  if (totals.hasMore) return <span class="soft">Too many to add up: choose a shorter time, or one offer.</span>;
  return (
    <>
      {totals.sums.map(({ tokenKey, status, count, amount }) => (
        <span key={`${status} ${tokenKey}`}>
          {status === 'settled' ? 'Settled' : 'Failed, nothing received'}:{' '}
          <strong>{amountText(chains, amount, tokenKey)}</strong> ({count})
        </span>
      ))}
    </>
  );
}

function actionsOf(mode: Mode, chains: readonly Chain[]): readonly BulkAction<Payment>[] {
  const nameOf = ({ amount, tokenKey, createdAt }: Payment) =>
    `${amountText(chains, amount, tokenKey)} of ${momentText(createdAt)}`;
  return [
    {
      verb: 'Retry',
      done: 'tried again',
      text: 'Each failed charge of a subscription is tried once more now. A charge that settles takes money.',
      exceptFor: ({ status, subscriptionId }) =>
        status === 'failed' && subscriptionId !== null
          ? null
          : 'only a failed payment of a subscription is tried again',
      run: ({ subscriptionId }) => post(`/${mode}/subscriptions/${subscriptionId}/retry`),
      nameOf,
    },
    {
      verb: 'Cancel',
      done: 'canceled',
      isDanger: true,
      text: 'This is possible while no charge has been started. It cannot be undone.',
      exceptFor: ({ status, source }) =>
        status === 'pending' && source === 'one_time'
          ? null
          : 'only a one-time payment that is pending can be canceled',
      run: ({ id }) => post(`/${mode}/payments/${id}/cancel`),
      nameOf,
    },
  ];
}
