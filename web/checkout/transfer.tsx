import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Deposit, Session } from '../../src/checkout/wire.ts';
import { say, sayRich } from '../i18n/say.ts';
import type { Flow } from '../pay/flow.ts';
import { isPhone } from '../pay/is-phone.ts';
import type { Order } from '../pay/order.ts';
import { problemOf, refundAddressError } from '../pay/problem.ts';
import { needsRefundAddress, transferSentence, transferSentenceFor, unusedSentence } from '../pay/sentences.ts';
import { transferLink } from '../pay/transfer-link.ts';
import { Completion } from '../pay/views/completion.tsx';
import { Copy } from '../pay/views/copy.tsx';
import { OrderBar } from '../pay/views/order-bar.tsx';
import { ProblemNotice } from '../pay/views/problem-notice.tsx';
import { serviceNow } from '../ui/api.ts';
import { Button } from '../ui/button.tsx';
import { money } from '../ui/decimal.ts';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { useAction } from '../ui/use-action.ts';
import { useSelector } from '../ui/use-selector.ts';
import { useTitle } from '../ui/use-title.ts';
import { isUnfinished } from './kept-transfers.tsx';

/** Whether the browser keeps a transfer: until it is finished, or after that for a refund, which needs an address. */
export type Keeping = 'unfinished' | 'for_refund' | 'nothing';

export interface TransferPanelProps {
  readonly flow: Flow<Session>;
  /** Of this very transfer, for another browser. */
  readonly link: string;
  /** Keeps it in this browser, or forgets it. False: this browser stores nothing. */
  readonly keep: (what: Keeping) => boolean;
  readonly nameRefundWallet: (refundWallet: string) => Promise<Session>;
  /** null: the offer is not sold any more. */
  readonly onRestart: (() => void) | null;
}

/** The pause between two polls while a refund is on its way after the end of the payment. */
const REFUND_POLL_MS = 3_000;

/** The address, amount and deadline of a transfer, the money that has arrived, the outcome, and the refunds. */
export function TransferPanel({ flow, link, keep, nameRefundWallet, onRestart }: TransferPanelProps) {
  const session = useSelector(flow.store, ({ purchase }) => purchase);
  const isRefunding = session?.deposit?.unused.some(({ fate }) => fate === 'refunding') === true;
  useEffect(() => {
    if (!isRefunding) return;
    const show = (purchase: Session) => flow.store.trigger.loaded({ purchase });
    const timer = setInterval(() => void flow.api.poll().then(show, () => {}), REFUND_POLL_MS);
    return () => clearInterval(timer);
  }, [flow, isRefunding]);
  const [isKept, setKept] = useState(true);
  const keeping = session === null ? 'nothing' : keepingOf(session);
  useEffect(() => setKept(keep(keeping)), [keeping]);
  if (session === null) return null;
  const name = async (refundWallet: string) => {
    flow.store.trigger.loaded({ purchase: await nameRefundWallet(refundWallet) });
  };
  const isOpen = flow.api.isOpen(session);
  const { deposit, outcome } = session;
  const isPaid = outcome.progress === 'completed';
  const isOfNow = isOpen || (deposit?.unused.length ?? 0) > 0;
  return (
    <div class="stack" data-part="transfer">
      {outcome.waitsFor === 'deposit' && deposit?.address != null && (
        <DepositView deposit={deposit} address={deposit.address} session={session} />
      )}
      {deposit !== null && isOfNow && <RefundPart deposit={deposit} name={name} />}
      {isOpen && (
        <div class="row" data-part="find-again">
          {isKept && <p class="small soft">{say('transfer.find_again')}</p>}
          <Copy what="link" text={link} />
        </div>
      )}
      {isPaid && <Completion purchase={session} proofUrl={flow.api.proofUrl} />}
      {isPaid && deposit !== null && !isOfNow && <RefundPart deposit={deposit} name={name} />}
      {!isOpen && onRestart !== null && <Button onClick={onRestart}>{say('common.start_again')}</Button>}
    </div>
  );
}

function keepingOf(session: Session): Keeping {
  if (isUnfinished(session)) return 'unfinished';
  const isPaid = session.outcome.progress === 'completed';
  return isPaid && session.deposit?.refundWallet === null ? 'for_refund' : 'nothing';
}

/** The progress, for a region that is announced. */
export function TransferStatus({ flow }: { readonly flow: Flow<Session> }) {
  const session = useSelector(flow.store, ({ purchase }) => purchase);
  const sentence = session && transferSentenceFor(session);
  useTitle(sentence?.title ?? say('transfer.short_title'), session?.offerName ?? '', session?.merchantName ?? '');
  if (session === null || sentence === null) return null;
  return (
    <div data-part="result" data-progress={session.outcome.progress}>
      <Notice tone={sentence.tone} title={sentence.title} isStep isInRegion>
        <p>{sentence.text}</p>
        {session.outcome.waitsFor !== 'sold_out' && flow.api.isOpen(session) && <p>{transferSentence(session)}</p>}
      </Notice>
    </div>
  );
}

interface DepositViewProps {
  readonly deposit: Deposit;
  readonly address: string;
  readonly session: Session;
}

function DepositView({ deposit, address, session }: DepositViewProps) {
  const { asked } = session;
  const ticker = asked?.ticker ?? '';
  if (BigInt(deposit.missingBaseUnits) === 0n) return null;
  return (
    <>
      <p>
        {sayRich<ComponentChild>('transfer.send_exactly', {
          sum: money(deposit.missing, ticker),
          network: asked?.playing.label ?? '',
          amount: (parts) => (
            <strong class="number" data-part="deposit-amount">
              {parts}
            </strong>
          ),
          b: (parts) => <strong>{parts}</strong>,
        })}
      </p>
      <p class="exact code" data-part="deposit-address">
        {address}
      </p>
      <div class="row">
        <Copy what="address" text={address} />
        <Copy what="amount" text={deposit.missing} />
      </div>
      {asked !== null && (
        <Codes
          address={address}
          link={transferLink(asked, { address, amount: deposit.missing, baseUnits: deposit.missingBaseUnits })}
        />
      )}
      <p class="small soft">
        <Countdown until={deposit.expiresAt} /> {say('transfer.late')}
      </p>
    </>
  );
}

/** Wallets read the link, and fill in token and amount. Exchanges read the address alone. */
function Codes({ address, link }: { readonly address: string; readonly link: string }) {
  const [isForWallets, setForWallets] = useState(true);
  const open = (
    <a class="button" href={link} data-part="transfer-link">
      {say('transfer.open_in_wallet')}
    </a>
  );
  // A phone cannot scan its own screen.
  if (isPhone()) return <div class="row">{open}</div>;
  return (
    <>
      <div class="row">
        {open}
        <Button variant="quiet" onClick={() => setForWallets(!isForWallets)}>
          {say(isForWallets ? 'transfer.code_for_exchanges' : 'transfer.code_for_wallets')}
        </Button>
      </div>
      {isForWallets ? (
        <QrCode text={link} label={say('transfer.code_of_transfer')} />
      ) : (
        <QrCode text={address} label={say('transfer.code_of_address')} />
      )}
    </>
  );
}

function Countdown({ until }: { readonly until: string }) {
  const [now, setNow] = useState(serviceNow());
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((Date.parse(until) - now) / 1_000));
  const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  return (
    <span data-part="countdown" role="timer">
      {left === 0 ? say('transfer.time_over') : say('transfer.time_left', { clock })}
    </span>
  );
}

interface RefundPartProps {
  readonly deposit: Deposit;
  readonly name: (refundWallet: string) => Promise<void>;
}

/** The money that the payment does not use, and the address that it goes to, which the payer can name and correct. */
function RefundPart({ deposit, name }: RefundPartProps) {
  const { refundWallet, unused } = deposit;
  const [isEditing, setEditing] = useState(false);
  const isNeeded = unused.some(needsRefundAddress);
  return (
    <div class="stack-tight" data-part="refund">
      {unused.length > 0 && (
        <Notice tone={isNeeded ? 'warn' : 'plain'} title={say('refund.unused')}>
          {unused.map((money) => (
            <p key={JSON.stringify(money)}>{unusedSentence(money)}</p>
          ))}
        </Notice>
      )}
      {isEditing || isNeeded ? (
        <RefundForm name={name} onDone={() => setEditing(false)} />
      ) : (
        <>
          <p class="small soft">{say(refundWallet === null ? 'refund.no_address' : 'refund.goes_to')}</p>
          {refundWallet !== null && <p class="code small">{refundWallet}</p>}
          <div class="row">
            <Button size="small" onClick={() => setEditing(true)}>
              {say(refundWallet === null ? 'refund.name_address' : 'refund.change_address')}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

function RefundForm({ name, onDone }: { readonly name: RefundPartProps['name']; readonly onDone: () => void }) {
  const save = (address: string) => name(address).then(onDone);
  const { address, field, problem, busy, send } = useRefundAddress(save);
  return (
    <>
      <Field {...field} label={say('refund.address_label')} hint={say('refund.address_hint')} />
      <div class="row">
        <Button busy={busy} disabled={address.trim() === ''} onClick={() => void send()}>
          {say('refund.save_address')}
        </Button>
      </div>
      <ProblemNotice problem={problem} />
    </>
  );
}

/** The field for an address for refunds, which `run` sends to the service. `problem`: any but a refused address. */
function useRefundAddress(run: (address: string) => Promise<void>) {
  const [address, setAddress] = useState('');
  const { isBusy: busy, failure, act, clear } = useAction();
  const error = failure === null ? null : refundAddressError(failure);
  const problem = failure === null || error !== null ? null : problemOf(failure);
  useEffect(() => {
    // The button may be in the bar, far from the field.
    if (error !== null) document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  const onInput = (text: string) => {
    setAddress(text);
    clear();
  };
  return {
    address,
    field: { value: address, onInput, error },
    problem,
    busy,
    send: () => act(() => run(address.trim())),
  };
}

export interface StartTransferProps {
  readonly offerName: string;
  readonly merchantName: string;
  readonly order: Order;
  /** False: another part of the page has an error, and shows it. */
  readonly isReady: () => boolean;
  /** Empty: the payer has named no wallet. */
  readonly start: (refundWallet: string) => Promise<void>;
}

/** Requests a deposit address; no wallet is needed. */
export function StartTransfer({ offerName, merchantName, order, isReady, start }: StartTransferProps) {
  useTitle(say('transfer.title'), offerName, merchantName);
  const { field, problem, busy, send } = useRefundAddress(start);
  const begin = () => {
    if (isReady()) void send();
  };
  return (
    <div class="stack">
      <p>{say('transfer.lead')}</p>
      <Field {...field} label={say('refund.address_label_optional')} hint={say('refund.address_hint_optional')} />
      <OrderBar order={order} problem={problem}>
        <Button variant="primary" busy={busy} onClick={begin}>
          {say('transfer.show_address')}
        </Button>
      </OrderBar>
    </div>
  );
}
