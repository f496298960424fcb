import type { ChargeView, DepositView, Inspection, PaymentRow } from '../../../src/staff/wire.ts';
import { Badge, toneOf } from '../../ui/badge.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { useMay } from '../access/session.ts';
import { hrefOf } from '../route.ts';
import { type Order, OrderButton, RoleNote } from '../shared/order.tsx';
import { Reference } from '../shared/reference.tsx';
import { momentText } from '../shared/words.ts';

/** Payments, charges with their transactions, and arrivals at deposit addresses. */
export function MoneyPanel({ seen, reload }: { readonly seen: Inspection; readonly reload: () => void }) {
  const { payments, charges, deposits, kind } = seen;
  if (kind === 'delivery') return null;
  return (
    <Panel title="Payments and charges">
      {kind === 'subscription' && <Payments payments={payments} />}
      <Charges charges={charges} />
      {deposits.length > 0 && <Deposits deposits={deposits} reload={reload} />}
    </Panel>
  );
}

function Payments({ payments }: { readonly payments: readonly PaymentRow[] }) {
  return (
    <Table
      caption="Payments"
      rows={payments}
      empty="No charge has been attempted."
      columns={{
        Cycle: ({ cycle, id }) => (
          <>
            <a href={hrefOf('payment', id) ?? '#/'}>cycle {cycle}</a>
            <div class="small">
              <Copyable what={`id of the payment of cycle ${cycle}`} text={id} isShort />
            </div>
          </>
        ),
        Period: ({ period }) => period,
        Amount: { number: ({ amount, token }) => `${amount} ${token}` },
        Status: ({ status, nextAttemptAt }) => (
          <>
            <Badge tone={toneOf(status)}>{status}</Badge>
            {nextAttemptAt !== null && <div class="small soft">next attempt {momentText(nextAttemptAt)}</div>}
          </>
        ),
        Attempts: { number: ({ attempts }) => attempts },
      }}
    />
  );
}

function Charges({ charges }: { readonly charges: readonly ChargeView[] }) {
  return (
    <Table
      caption="Charges on the chain"
      rows={charges}
      empty="No charge has been requested."
      columns={{
        Charge: ({ attempt, amount, token, chain }) => (
          <>
            {amount} {token}
            <div class="small soft">
              attempt {attempt}, {chain}
            </div>
          </>
        ),
        State: ({ state, cause, note, refusal, confirmations }) => (
          <>
            <Badge tone={toneOf(state)}>{state}</Badge>
            {cause !== null && <div class="small">{cause}</div>}
            {note !== null && <div class="small">{note}</div>}
            {refusal !== null && <div class="small">{refusal}</div>}
            {confirmations !== null && <div class="small soft">{confirmations} confirmations</div>}
          </>
        ),
        Transaction: (charge) => <Transaction charge={charge} />,
        Shares: ({ shares }) =>
          shares.map(({ role, to, amount }) => (
            <div key={`${role} ${to}`} class="small">
              {role} {amount} → <Reference text={to} />
            </div>
          )),
      }}
    />
  );
}

function Transaction({ charge }: { readonly charge: ChargeView }) {
  const { txHash, explorer, block, updatedAt } = charge;
  if (txHash === null) return <span class="soft small">none, as of {momentText(updatedAt)}</span>;
  return (
    <>
      <Copyable what="transaction" text={txHash} isShort href={explorer ?? undefined} />
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
  const toAnybody = useMay('admin');
  const sending = ({ id, left, unit }: DepositView): Order => ({
    title: `Send ${left} ${unit}`,
    isDanger: true,
    what: toAnybody ? SEND_TO_ANYBODY : SEND_BACK,
    path: `/deposits/${id}/send`,
    fields: toAnybody ? [{ name: 'to', label: 'Address (optional)' }] : [],
    onDone: reload,
  });
  return (
    <>
      <Table
        caption="Arrivals at its deposit address"
        rows={deposits}
        columns={{
          Arrived: ({ amount, unit, from }) => (
            <>
              {amount} {unit}
              <div class="small soft">
                {from === null ? (
                  'known only from the balance'
                ) : (
                  <>
                    from <Reference text={from} />
                  </>
                )}
              </div>
            </>
          ),
          Charged: { number: ({ charged }) => charged },
          'Sent back': { number: ({ refunded }) => refunded },
          Left: { number: ({ left }) => left },
          State: ({ fate, held }) => (
            <>
              <Badge tone={toneOf(fate)}>{fate}</Badge>
              {held !== null && <div class="small">{held}</div>}
            </>
          ),
          Actions: (deposit) =>
            isSendable(deposit) && (
              <OrderButton needs="act" order={sending(deposit)}>
                Send it
              </OrderButton>
            ),
        }}
      />
      {deposits.some(isSendable) && <RoleNote what="Sending a deposit needs" needs="act" />}
    </>
  );
}
