import { useEffect, useState } from 'preact/hooks';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { later } from '../../pay/later.ts';
import { transactionRefused } from '../../pay/problem.ts';
import { useSteps } from '../../pay/use-steps.ts';
import { ProblemNotice } from '../../pay/views/problem-notice.tsx';
import type { Wallet } from '../../pay/wallets/wallet.ts';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { ApiError } from '../../ui/api-error.ts';
import { Status } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { typedDecimal, wrongDecimal } from '../../ui/decimal.ts';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { isLess, restOf, sumOf } from '../../ui/sum.ts';
import { type MerchantPath, post, useLoad, useRole } from '../dashboard-api.ts';
import type { Chain, Payment, Refund, Refunds, SendableRefund } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { amountText } from '../shared/currencies.ts';
import { Moment } from '../shared/moment.tsx';
import { SignRefund } from './sign-refund.tsx';

export interface RefundsPanelProps {
  readonly mode: Mode;
  readonly payment: Payment;
  readonly chains: readonly Chain[];
}

/** The pause between two readings while a refund can change by itself. */
const POLL_MS = 2_000;

/** The refunds of a payment, and the form of another one: the merchant's own wallet sends it. */
export function RefundsPanel({ mode, payment, chains }: RefundsPanelProps) {
  const mayRefund = useRole('member');
  const loaded = useRefunds(mode, payment);
  const [signing, setSigning] = useState<string | null>(null);
  /** Where the payer names the wallet that a refund needs; null: none is missing. */
  const [page, setPage] = useState<string | null>(null);
  const { ask, askFor, dialog } = useQuestion();
  const { refunds } = loaded;
  if (refunds === null) return loaded.error === null ? null : <LoadFailed loaded={loaded} />;
  const isSettled = payment.status === 'settled';
  if (!isSettled && refunds.length === 0) return null;
  const ofMerchant = refunds.filter(({ source }) => source === 'merchant');
  const amountsOf = (statuses: readonly Refund['status'][]) =>
    ofMerchant.filter(({ status }) => statuses.includes(status)).map(({ amount }) => amount);
  const left = restOf(payment.amount, amountsOf(['requested', 'sent', 'settled']));
  const text = (amount: string) => amountText(chains, amount, payment.tokenKey);
  const askForRefund = () => {
    const idempotencyKey = `dashboard-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
    askFor({
      title: 'Refund',
      action: 'Continue to your wallet',
      text: `Your own wallet sends the money to the payer, in the next step. At most ${text(left)} is left. The fee of the charge is not returned.`,
      fields: [
        { name: 'amount', label: 'Amount', inputMode: 'decimal', required: true, check: wrongDecimal },
        { name: 'reason', label: 'Reason (only you see it)', rows: 2, maxLength: 200 },
      ],
      first: { amount: left, reason: '' },
      run: async ({ amount, reason }) => {
        setPage(null);
        const body = { amount: typedDecimal(amount), reason: reason.trim() || null, idempotencyKey };
        try {
          setSigning((await post<SendableRefund>(`/${mode}/payments/${payment.id}/refunds`, body)).id);
        } catch (error) {
          const named = error instanceof ApiError ? (/https?:\S+(?=,)/.exec(error.message)?.[0] ?? null) : null;
          if (named === null) throw error;
          setPage(named);
        }
        loaded.reload();
      },
    });
  };
  return (
    <Panel title="Refunds" testId="refunds">
      {isSettled && (
        <Facts
          facts={[
            ['Refunded', refunds.length === 0 ? 'Nothing' : text(sumOf(amountsOf(['settled'])))],
            ['Left to refund', text(left)],
          ]}
        />
      )}
      {page !== null && <WalletMissing page={page} />}
      <ul class="plain-list stack">
        {refunds.map((refund) => (
          <li key={refund.id} class="stack-tight" data-refund={refund.status}>
            <Outline refund={refund} amount={amountText(chains, refund.amount, refund.tokenKey)} />
            {mayRefund && refund.source === 'merchant' && refund.status === 'requested' && (
              <OpenRefund
                {...{ mode, refund, chains, ask }}
                isSigning={signing === refund.id}
                onSigning={(isSigning) => setSigning(isSigning ? refund.id : null)}
                reload={loaded.reload}
              />
            )}
          </li>
        ))}
      </ul>
      {mayRefund && isSettled && signing === null && isLess('0', left) && (
        <div class="row">
          <Button onClick={askForRefund}>{ofMerchant.length === 0 ? 'Refund' : 'Refund more'}</Button>
        </div>
      )}
      {dialog}
    </Panel>
  );
}

/** Reads again with the payment, and while a refund is under way. A failed reading leaves the last one. */
function useRefunds(mode: Mode, payment: Payment) {
  const { value, ...loaded } = useLoad<Refunds>(`/${mode}/payments/${payment.id}/refunds`);
  const refunds = value?.refunds ?? null;
  useEffect(() => {
    if (refunds !== null) loaded.reload();
  }, [payment]);
  const isUnderWay = refunds?.some(({ status }) => status === 'requested' || status === 'sent') === true;
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(loaded.reload, POLL_MS);
    return () => clearInterval(timer);
  }, [isUnderWay, loaded.reload]);
  return { ...loaded, refunds };
}

function WalletMissing({ page }: { readonly page: string }) {
  return (
    <Notice tone="warn" title="The payer has named no address for refunds">
      <p>
        The money came by transfer, perhaps from an exchange, so it cannot go back where it came from. Send the payer
        this link. They open it in the browser in which they paid, and name an address. Then refund here.
      </p>
      <Copyable what="link for the payer" text={page} />
    </Notice>
  );
}

function Outline({ refund, amount }: { readonly refund: Refund; readonly amount: string }) {
  const { status, failureReason, createdAt, toWallet, txHash, reason } = refund;
  return (
    <>
      <div class="spread">
        <span class="row">
          <strong class="number">{amount}</strong>
          <Status status={failureReason === 'canceled' ? 'canceled' : status} />
        </span>
        <span class="small soft">
          <Moment at={createdAt} />
        </span>
      </div>
      <StatusRegion>
        <p class="small">
          <Progress refund={refund} />
        </p>
      </StatusRegion>
      <Facts
        facts={[
          ['To', toWallet && <Copyable what="receiver" text={toWallet} />],
          ['Transaction', txHash && <Copyable what="transaction" text={txHash} />],
          ['Reason', reason],
        ]}
      />
    </>
  );
}

function Progress({ refund }: { readonly refund: Refund }) {
  const { source, status, failureReason, expiresAt, settledAt, sentByWallet } = refund;
  if (source === 'deposit') {
    const text = status === 'settled' ? 'sent back what the payment did not use.' : 'is sending the rest back.';
    return <>The service {text}</>;
  }
  switch (status) {
    case 'requested':
      if (sentByWallet !== null) return <>Sent {<Moment at={sentByWallet.at} />}, and in no block yet.</>;
      return <>Waits for your wallet{expiresAt && <> until {<Moment at={expiresAt} />}</>}. Its amount is set aside.</>;
    case 'sent':
      return <>The transfer is in a block. In a moment it is final.</>;
    case 'settled':
      return <>The payer has the money{settledAt && <> since {<Moment at={settledAt} />}</>}.</>;
    case 'failed':
      return failureReason === 'payment_reversed' ? (
        <>The network has dropped the charge of this payment, so there is nothing to give back.</>
      ) : (
        <>Canceled before anything was sent.</>
      );
    case 'expired':
      return <>No transfer came within seven days. Refund again if it is still wanted.</>;
    default:
      return unknownCase(status, 'status');
  }
}

/** Follows what a wallet has sent for a refund until a block has it. `forget`: it is signed again. */
function useSent(path: MerchantPath, { sentByWallet }: Refund, onSigning: OpenRefundProps['onSigning']) {
  /** By this page; null: it is signed again; absent: what the service says. */
  const [sentHere, setSentHere] = useState<{ readonly txHash: string | null } | null>();
  const { problem, setProblem, act, abandon } = useSteps<'following'>('common.nothing_changed');
  const note = (what: typeof sentHere) => {
    setSentHere(what);
    onSigning(what === null);
  };
  const forget = () => {
    abandon();
    note(null);
  };
  /** Until a block has the transfer, the service knows of it by this call alone. */
  const tell = async (txHash: string | null, isWanted: () => boolean) => {
    const isTold = () =>
      post(`${path}/sent`, { txHash })
        .then(() => true)
        .catch(() => false);
    while (isWanted() && !(await isTold())) await later(POLL_MS);
  };
  const follow = async (wallet: Wallet, transaction: string, isWanted: () => boolean) => {
    for (;;) {
      await later(POLL_MS);
      if (!isWanted()) return;
      const is = await wallet.landed(transaction).catch(() => 'not_yet' as const);
      if (is === 'not_yet') continue;
      if (is !== 'reverted') return;
      forget();
      return setProblem(transactionRefused());
    }
  };
  const onSent = (wallet: Wallet, transaction: string) => {
    const txHash = wallet.isBatch?.(transaction) ? null : transaction;
    note({ txHash });
    void act('following', async (isWanted) => {
      await Promise.all([tell(txHash, isWanted), follow(wallet, transaction, isWanted)]);
    });
  };
  return { sent: sentHere === undefined ? sentByWallet : sentHere, problem, onSent, forget };
}

interface OpenRefundProps {
  readonly mode: Mode;
  readonly refund: Refund;
  readonly chains: readonly Chain[];
  readonly ask: ReturnType<typeof useQuestion>['ask'];
  readonly isSigning: boolean;
  readonly onSigning: (isSigning: boolean) => void;
  readonly reload: () => void;
}

/** The next step of a requested refund: to sign it, to wait for what the wallet has sent, or to cancel it. */
function OpenRefund({ mode, refund, chains, ask, isSigning, onSigning, reload }: OpenRefundProps) {
  const path = `/${mode}/payments/${refund.paymentId}/refunds/${refund.id}` as const;
  const { sent, problem, onSent, forget } = useSent(path, refund, onSigning);
  const askToCancel = () =>
    ask({
      title: 'Cancel the refund',
      action: 'Cancel it',
      isDanger: true,
      text: 'Its amount can then be refunded otherwise. If a wallet has sent it already, it counts all the same.',
      done: 'The refund is canceled.',
      run: async () => {
        await post(`${path}/cancel`);
        onSigning(false);
        reload();
      },
    });
  const askToSignAgain = () =>
    ask({
      title: 'Sign the refund again',
      action: 'Sign again',
      isDanger: true,
      text: 'Only if your wallet has dropped the transaction: if both reach the network, the payer gets the money twice.',
      run: async () => forget(),
    });
  if (sent !== null) {
    return (
      <Notice title="A wallet has sent it">
        {sent.txHash !== null && <Copyable what="transaction" text={sent.txHash} isShort />}
        <p>The page goes on by itself when a block has the transfer. You can close it.</p>
        <Button size="small" variant="quiet" onClick={askToSignAgain}>
          It does not arrive
        </Button>
      </Notice>
    );
  }
  return (
    <>
      {isSigning && <SignRefund {...{ mode, refund, chains, onSent }} />}
      <ProblemNotice problem={problem} />
      <div class="row">
        {!isSigning && (
          <Button variant="primary" size="small" onClick={() => onSigning(true)}>
            Sign in your wallet
          </Button>
        )}
        <Button variant="danger" size="small" onClick={askToCancel}>
          Cancel the refund
        </Button>
      </div>
    </>
  );
}
