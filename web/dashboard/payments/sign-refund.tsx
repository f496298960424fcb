import { useState } from 'preact/hooks';
import { later } from '../../pay/later.ts';
import { useSteps } from '../../pay/use-steps.ts';
import { useWallets } from '../../pay/use-wallets.ts';
import { ProblemNotice } from '../../pay/views/problem-notice.tsx';
import { WalletPicker } from '../../pay/views/wallet-picker.tsx';
import type { Network, Wallet } from '../../pay/wallets/wallet.ts';
import { WalletError } from '../../pay/wallets/wallet-error.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { isLess } from '../../ui/sum.ts';
import { get, useLoad } from '../dashboard-api.ts';
import type { Chain, Refund, SendableRefund } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { amountText } from '../shared/currencies.ts';

export interface SignRefundProps {
  readonly mode: Mode;
  readonly refund: Refund;
  readonly chains: readonly Chain[];
  /** The wallet has sent the transfer. */
  readonly onSent: (wallet: Wallet, id: string) => void;
}

/** The merchant's own wallet sends a refund: it is chosen, checked, and then asked. */
export function SignRefund({ mode, refund, chains, onSent }: SignRefundProps) {
  const { id, paymentId, tokenKey } = refund;
  const chain = chains.find(({ tokens }) => tokens.some(({ key }) => key === tokenKey));
  const chainId = chain?.playedBy ?? chain?.chainId ?? refund.chainId;
  const network = { chainId, label: chains.find((each) => each.chainId === chainId)?.label ?? `Chain ${chainId}` };
  const wallets = useWallets(chain?.family ?? 'evm', mode === 'test', [chainId]);
  const [wallet, setWallet] = useState<Wallet | null>(null);
  const path = wallet && (`/${mode}/payments/${paymentId}/refunds/${id}?fromWallet=${wallet.address}` as const);
  const { value: draft, error, reload } = useLoad<SendableRefund>(path);
  const { step, setStep, problem, act, abandon } = useSteps<Step>('common.nothing_changed');
  const pick = (option: (typeof wallets)[number]) =>
    act('connecting', async (isWanted) => {
      const connected = await option.connect();
      if (isWanted()) setWallet(connected);
    });
  const send = (from: Wallet, read: () => Promise<SendableRefund>) =>
    act('switching', async (isWanted) => {
      const sent = await sendRefund({ wallet: from, network, read, onStep: setStep, isWanted });
      onSent(from, sent);
    });
  const leave = () => {
    abandon();
    wallet?.leave?.();
    setWallet(null);
  };
  if (wallet === null || path === null) {
    return (
      <>
        <WalletPicker
          options={wallets}
          busy={step !== null}
          onPick={(option) => void pick(option)}
          onCancel={abandon}
          elsewhere={null}
        />
        {wallets.every(({ kind }) => kind === 'test') && (
          <Notice title="No wallet was found in this browser">
            Open the dashboard in the browser that has the wallet: this refund waits for it there.
          </Notice>
        )}
        <ProblemNotice problem={problem} />
      </>
    );
  }
  const amount = amountText(chains, refund.amount, tokenKey);
  const isShort = draft?.balance != null && isLess(draft.balance, refund.amount);
  return (
    <>
      <p>
        <strong>{wallet.name}</strong> on {network.label}: <Copyable what="wallet" text={wallet.address} isShort />
      </p>
      {draft === null && error === null && <p class="soft">Reading what this wallet has…</p>}
      {error !== null && <Notice tone="bad">{error}</Notice>}
      {draft?.transactions === null && (
        <Notice tone="warn" title="The network does not answer now">
          Nothing is lost. Try again in a minute.
        </Notice>
      )}
      {isShort && draft.balance !== null && (
        <Notice tone="warn" title="This wallet has too little">
          It has {amountText(chains, draft.balance, tokenKey)}. Add what is missing, or use another wallet.
        </Notice>
      )}
      <StatusRegion>
        {step !== null && <Notice isInRegion>{stepText(step, wallet.name, network.label)}</Notice>}
      </StatusRegion>
      <ProblemNotice problem={problem} />
      <div class="row">
        {draft?.transactions != null && !isShort ? (
          <Button variant="primary" busy={step !== null} onClick={() => void send(wallet, () => get(path))}>
            {draft.transactions.length > 1 ? `Approve and send ${amount}` : `Send ${amount}`}
          </Button>
        ) : (
          <Button onClick={reload}>Check again</Button>
        )}
        <Button variant="quiet" onClick={leave}>
          Use another wallet
        </Button>
      </div>
    </>
  );
}

function stepText(step: Step, wallet: string, network: string): string {
  const texts: { readonly [S in Step]: string } = {
    connecting: 'Allow the connection in your wallet.',
    switching: `Asking ${wallet} about ${network}…`,
    approving: `First step: confirm the approval of exactly this amount in ${wallet}.`,
    confirming: 'The approval is sent. Its block takes a moment…',
    sending: `Last step: confirm the refund in ${wallet}.`,
  };
  return texts[step];
}

type Step = 'connecting' | 'switching' | 'approving' | 'confirming' | 'sending';

interface Sending {
  readonly wallet: Wallet;
  readonly network: Network;
  /** The refund with the transactions for this wallet, as of now. */
  readonly read: () => Promise<SendableRefund>;
  readonly onStep: (step: Step) => void;
  /** False: the page does not show it any more, so the wallet is asked for nothing further. */
  readonly isWanted: () => boolean;
}

const POLL_MS = 1_000;

/** After this many polls, an approval that the service sees suffices: the wallet may have replaced its transaction. */
const PATIENCE = 10;

/**
 * Lets the wallet send what makes the refund: approvals until the chain shows them, then the transfer, whose id it
 * resolves with. A repetition begins where the last one ended. Throws a WalletError or an ApiError.
 */
async function sendRefund(sending: Sending): Promise<string> {
  const { wallet, network, onStep } = sending;
  onStep('switching');
  if (!(await wallet.isOn(network))) await wallet.switchTo(network);
  for (;;) {
    const left = await transactionsOf(sending);
    const [next] = left;
    if (next === undefined) throw new WalletError('failed', 'There is nothing to send for this refund.');
    const isLast = left.length === 1;
    onStep(isLast ? 'sending' : 'approving');
    const id = await wallet.send(next, network);
    if (isLast) return id;
    onStep('confirming');
    await approved(sending, id, left.length);
  }
}

async function transactionsOf({ read, isWanted }: Sending) {
  const { status, transactions } = await read();
  if (!isWanted()) throw new WalletError('failed', 'The page has gone on.');
  if (transactions !== null) return transactions;
  const why = status === 'requested' ? 'The network does not answer now.' : `The refund is ${status} now.`;
  throw new WalletError('failed', why);
}

async function approved(sending: Sending, id: string, before: number): Promise<void> {
  for (let polls = 0; ; polls += 1) {
    await later(POLL_MS);
    const is = await sending.wallet.landed(id).catch(() => 'not_yet' as const);
    if (is === 'reverted') throw new WalletError('failed', 'The token has refused the approval.');
    const isSeen = (await transactionsOf(sending)).length < before;
    // The wallet's own node has to know it too, because it simulates the transfer.
    if (isSeen && (is !== 'not_yet' || polls > PATIENCE)) return;
  }
}
