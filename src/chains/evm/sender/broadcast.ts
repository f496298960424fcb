import type { TransactionDoc } from '../../../store/collections.ts';
import type { CallRefusal } from '../../node-errors.ts';
import { NodeUnreachable, type RpcAnswer } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';

/**
 * `sent`: the node accepted the transaction, or has it already. `stale`: this transaction or another one has used the
 * nonce; the chain will show which. `unsure`: no answer. `refused`: the node does not want the transaction now.
 * `too_large`: it has more gas, bytes or cost than the node accepts. None is final: the reconciler goes on.
 */
export type Broadcast = 'sent' | 'stale' | 'unsure' | 'refused' | 'too_large';

/**
 * Sends each transaction to every node, in one request. The bytes are the newest version; for a transaction that was
 * reorged out, they are the version that had landed. No answer of a node makes it throw.
 */
export async function broadcast(ctx: EvmContext, transactions: readonly TransactionDoc[]): Promise<Broadcast[]> {
  const raws = transactions.map(bytesOf);
  const calls = raws.filter((raw) => raw !== '').map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] }));
  const nodes = calls.length === 0 ? [] : await ctx.link.broadcast(calls);
  let next = 0;
  return transactions.map((transaction, index) => {
    if (raws[index] === '') return 'unsure';
    const at = next;
    next += 1;
    const outcomes = nodes.map(({ answers: { [at]: answer } }) => ({ outcome: readBroadcast(answer), answer }));
    const best = BEST_FIRST.flatMap((outcome) => outcomes.find((each) => each.outcome === outcome) ?? [])[0];
    const last = transaction.versions.at(-1);
    // A node that lies makes nobody pay more while another one takes the transaction.
    if (last && best?.outcome !== 'sent')
      for (const { endpoint, answers } of nodes) ctx.link.fees.learn(endpoint.name, last, answers[at]);
    report(ctx, transaction, best?.outcome ?? 'unsure', best?.answer);
    return best?.outcome ?? 'unsure';
  });
}

/** A node that knows the transaction counts for more than a node that does not. */
const BEST_FIRST: readonly Broadcast[] = ['sent', 'stale', 'unsure', 'refused', 'too_large'];

/** Payments have been notified of the hash of the version that had landed, so that version is sent again. */
function bytesOf({ versions, txHash }: TransactionDoc): string {
  const landed = txHash === null ? undefined : versions.find(({ hash }) => hash === txHash);
  return (landed ?? versions.at(-1))?.raw ?? '';
}

export function readBroadcast(answer: RpcAnswer | undefined): Broadcast {
  if (answer === undefined) return 'unsure';
  if (answer.ok) return 'sent';
  if (answer.error instanceof NodeUnreachable) return 'unsure';
  const { verdict } = answer.error;
  return verdict.about === 'call' ? OUTCOMES[verdict.why] : 'refused';
}

const OUTCOMES: Readonly<Record<CallRefusal, Broadcast>> = {
  known: 'sent',
  nonce_used: 'stale',
  too_large: 'too_large',
  underpriced: 'refused',
  reverted: 'refused',
  no_block: 'refused',
  other: 'refused',
};

/** The trouble of a sender whose transaction is refused. The keeper clears it when none is overdue. */
export function refusedBy(sender: string): string {
  return `refused:${sender}`;
}

function refusal({ versions, sender, nonce }: TransactionDoc, outcome: Broadcast, error: string): string {
  const next =
    outcome === 'too_large'
      ? 'its charges are sent in smaller transactions'
      : 'it is sent again, and replaced if its gas or its fees are the reason';
  return `nodes refuse transaction ${versions.at(-1)?.hash} of sender ${sender} (nonce ${nonce}): ${error}; ${next}`;
}

function report(ctx: EvmContext, transaction: TransactionDoc, outcome: Broadcast, answer: RpcAnswer | undefined): void {
  const { _id, sender, nonce, versions, chargeIds } = transaction;
  const txHash = versions.at(-1)?.hash;
  const about = { chainId: ctx.chainId, transactionId: _id, txHash, sender, nonce, charges: chargeIds.length };
  if (outcome === 'sent') ctx.log.info(about, 'transaction broadcast');
  else if (answer?.ok === false) {
    const error = answer.error.message;
    ctx.log.warn(
      { ...about, outcome, error },
      'no node confirmed the broadcast; the reconciler follows the transaction',
    );
    if (outcome === 'refused' || outcome === 'too_large')
      ctx.troubles.set(refusedBy(sender), refusal(transaction, outcome, error));
  }
}
