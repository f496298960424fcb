import { useState } from 'preact/hooks';
import type { ChargeView, DepositView, Inspection, PaymentRow } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Table } from '../../ui/table.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { mayAct, mayAdminister, session } from '../access/session.ts';
import { hrefOf } from '../route.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { Copyable } from '../shared/copyable.tsx';
import { momentText, short, toneOf } from '../shared/words.ts';

/** Payments, charges with their transactions, and arrivals at deposit addresses. */
export function MoneyPanel({ seen, reload }: { readonly seen: Inspection; readonly reload: () => void }) {
  const { payments, charges, deposits, kind } = seen;
  if (kind === 'delivery') return null;
  return (
    <section class="card stack" aria-labelledby="money">
      <h2 id="money">Payments and charges</h2>
      {kind === 'subscription' && <Payments payments={payments} />}
      <Charges charges={charges} />
      {deposits.length > 0 && <Deposits deposits={deposits} reload={reload} />}
    </section>
  );
}

function Payments({ payments }: { readonly payments: readonly PaymentRow[] }) {
  return (
    <Table
      caption="Payments"
      rows={payments}
      keyOf={({ id }) => id}
      empty="No charge has been attempted."
      columns={[
        {
          title: 'Cycle',
          cell: ({ cycle, id }) => (
            <>
              <a href={hrefOf('payment', id) ?? '#/'}>cycle {cycle}</a>
              <div class="small">
                <Copyable what={`id of the payment of cycle ${cycle}`} text={id} isShort />
              </div>
            </>
          ),
        },
        { title: 'Period', cell: ({ period }) => period },
        { title: 'Amount', cell: ({ amount, token }) => `${amount} ${token}`, isNumber: true },
        {
          title: 'Status',
          cell: ({ status, failureReason, nextAttemptAt }) => (
            <>
              <Badge tone={toneOf(status)}>{status}</Badge>
              {failureReason !== null && <div class="small">{failureReason}</div>}
              {nextAttemptAt !== null && <div class="small soft">again {momentText(nextAttemptAt)}</div>}
            </>
          ),
        },
        { title: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
      ]}
    />
  );
}

function Charges({ charges }: { readonly charges: readonly ChargeView[] }) {
  return (
    <Table
      caption="Charges on the chain"
      rows={charges}
      keyOf={({ id }) => id}
      empty="No charge has been requested."
      columns={[
        {
          title: 'Charge',
          cell: ({ attempt, amount, token, chain }) => (
            <>
              {amount} {token}
              <div class="small soft">
                attempt {attempt}, {chain}
              </div>
            </>
          ),
        },
        {
          title: 'State',
          cell: ({ state, reason, note, refusal, confirmations }) => (
            <>
              <Badge tone={toneOf(state)}>{state}</Badge>
              {reason !== null && <div class="small">{reason}</div>}
              {note !== null && <div class="small">{note}</div>}
              {refusal !== null && <div class="small">{refusal}</div>}
              {confirmations !== null && <div class="small soft">{confirmations} confirmations</div>}
            </>
          ),
        },
        { title: 'Transaction', cell: (charge) => <Transaction charge={charge} /> },
        {
          title: 'Shares',
          cell: ({ shares }) =>
            shares.map(({ role, to, amount }) => (
              <div key={`${role} ${to}`} class="small">
                {role} {amount} → <Copyable what={`address of the ${role}`} text={to} isShort />
              </div>
            )),
        },
      ]}
    />
  );
}

function Transaction({ charge }: { readonly charge: ChargeView }) {
  const { txHash, explorer, block, updatedAt } = charge;
  if (txHash === null) return <span class="soft small">none, as of {momentText(updatedAt)}</span>;
  return (
    <>
      <CopyButton what="transaction" text={txHash} />{' '}
      {explorer === null ? (
        <code data-hash={txHash}>{txHash}</code>
      ) : (
        <a href={explorer} rel="noreferrer noopener" target="_blank">
          <code data-hash={txHash}>{txHash}</code>
        </a>
      )}
      {block !== null && <div class="small soft">block {block}</div>}
    </>
  );
}

const SEND_BACK =
  'The service sends the rest of this deposit to the refund wallet of the payment. Another address needs the role admin; yours is act.';
const SEND_TO_ANYBODY =
  'The service sends the rest of this deposit to the address. Without an address, it sends it to the refund wallet of the payment.';

function isSendable({ fate, held }: DepositView): boolean {
  return fate === 'held' && held !== 'unread';
}

function Deposits({ deposits, reload }: { readonly deposits: readonly DepositView[]; readonly reload: () => void }) {
  const may = useSelector(session, mayAct);
  const toAnybody = useSelector(session, mayAdminister);
  const [sending, setSending] = useState<DepositView | null>(null);
  return (
    <>
      <Table
        caption="Arrivals at its deposit address"
        rows={deposits}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Arrived',
            cell: ({ amount, unit, from }) => (
              <>
                {amount} {unit}
                <div class="small soft">{from === null ? 'known only from the balance' : `from ${short(from)}`}</div>
              </>
            ),
          },
          { title: 'Charged', cell: ({ charged }) => charged, isNumber: true },
          { title: 'Sent back', cell: ({ refunded }) => refunded, isNumber: true },
          { title: 'Left', cell: ({ left }) => left, isNumber: true },
          {
            title: 'State',
            cell: ({ fate, held }) => (
              <>
                <Badge tone={toneOf(fate)}>{fate}</Badge>
                {held !== null && <div class="small">{held}</div>}
              </>
            ),
          },
          {
            title: 'Actions',
            cell: (deposit) =>
              isSendable(deposit) && (
                <Button variant="danger" size="small" disabled={!may} onClick={() => setSending(deposit)}>
                  Send it
                </Button>
              ),
          },
        ]}
      />
      {!may && deposits.some(isSendable) && (
        <p class="small soft">Your role is read. Sending a deposit needs the role act.</p>
      )}
      {sending !== null && (
        <ConfirmDialog
          title={`Send ${sending.left} ${sending.unit}`}
          isDanger
          what={toAnybody ? SEND_TO_ANYBODY : SEND_BACK}
          path={`/deposits/${sending.id}/send`}
          fields={toAnybody ? [{ name: 'to', label: 'Address (optional)' }] : []}
          onClose={() => setSending(null)}
          onDone={reload}
        />
      )}
    </>
  );
}
