import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import { isRefusal, type RpcAnswer, type RpcCall } from '../../rpc.ts';
import type { SolanaContext } from '../context.ts';

/** The node neither simulates nor repeats: the charges were simulated before, and the reconciler sends again. */
const OPTIONS = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };

/** The call that sends signed bytes (base64). */
export function sendCall(raw: string): RpcCall {
  return { method: 'sendTransaction', params: [raw, OPTIONS] };
}

/**
 * Whether bytes may be sent: only while their charge names this very transaction. One stored after another process took
 * its charge over is never sent: the chain knows no keys, and would pull twice.
 */
export function mayBroadcast(transaction: TransactionDoc, charge: ChargeDoc | undefined): boolean {
  if (charge?.transactionId !== transaction._id) return false;
  return charge.state === 'sent' || charge.state === 'mined' || charge.state === 'final';
}

/** Sends transactions to every node, in one request. No answer of a node ends anything: the reconciler keeps asking. */
export async function broadcast(ctx: SolanaContext, transactions: readonly TransactionDoc[]): Promise<void> {
  const calls = transactions.flatMap(({ versions }) => {
    const raw = versions.at(-1)?.raw;
    return raw ? [sendCall(raw)] : [];
  });
  if (calls.length === 0) return;
  const nodes = await ctx.link.broadcast(calls);
  for (const [index, transaction] of transactions.entries()) {
    const answers = nodes.flatMap((node) => node.answers[index] ?? []);
    report(ctx, transaction, answers.find(({ ok }) => ok) ?? answers[0]);
  }
}

function report(ctx: SolanaContext, transaction: TransactionDoc, answer: RpcAnswer | undefined): void {
  const { _id, sender, versions, chargeIds } = transaction;
  const about = { chainId: ctx.chainId, transactionId: _id, txHash: versions.at(-1)?.hash, sender, charges: chargeIds };
  if (answer?.ok === true) ctx.log.info(about, 'transaction broadcast');
  else
    ctx.log.warn(
      { ...about, error: answer?.error.message ?? 'no answer' },
      'no node accepted the transaction; the reconciler sends it again',
    );
  const error = isRefusal(answer) ? answer.error.message : null;
  if (answer?.ok !== true && error === null) return;
  ctx.troubles.set(
    `broadcast:${sender}`,
    error &&
      `transaction ${about.txHash} of fee payer ${sender} is refused: ${error}; it is sent again until its blockhash has expired`,
  );
}
