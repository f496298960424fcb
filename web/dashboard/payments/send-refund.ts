import { later } from '../../pay/later.ts';
import type { Network, Wallet } from '../../pay/wallets/wallet.ts';
import { WalletError } from '../../pay/wallets/wallet-error.ts';
import type { SendableRefund } from '../merchant-api.ts';

export type Step = 'connecting' | 'switching' | 'approving' | 'confirming' | 'sending';

export interface Sending {
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
export async function sendRefund(sending: Sending): Promise<string> {
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
