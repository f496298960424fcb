import type { TransactionInstruction } from '@solana/web3.js';
import type { OnChainRefund } from '../chain-reader.ts';
import type { DraftedRefund, FoundRefund, RefundDraft, RefundRead, RefundState } from '../port.ts';
import { resultOf, shownIn } from '../rpc.ts';
import { transferIn } from './charged.ts';
import type { CheckedTokens, SolanaContext } from './context.ts';
import { listCall } from './fence.ts';
import { accountCreation, legacyMessage, memoInstruction, tokenTransfer } from './instructions.ts';
import { toBase58 } from './keys.ts';
import { refundMemo } from './memo.ts';
import { type TokenInfo, tokenIn } from './token-account.ts';
import { referenceKey, unsignedBytes } from './transaction.ts';
import {
  instructionsOf,
  latestBlockhashSchema,
  ownersOf,
  signaturesSchema,
  transactionCall,
  transactionSchema,
  type WireTransaction,
} from './wire.ts';

type Ctx = Pick<SolanaContext, 'chainId' | 'link' | 'associated' | 'confirmations'>;

/** The most transactions that are read for one refund: somebody may name its reference in others. */
const TRANSACTIONS_MAX = 50;

/** The address that stands for a refund on the chain. Nobody owns it, and only the key's secret tells it. */
export function refundReference(key: string): string {
  return toBase58(Buffer.from(key.slice(2), 'hex'));
}

/**
 * The transaction by which the wallet refunds: it opens the receiver's account if there is none, names payment and
 * refund in a memo, and transfers. A node is asked for the blockhash, so it is valid for about a minute.
 * @throws NodeUnreachable
 */
export async function draftRefund(ctx: Ctx, tokens: CheckedTokens, refund: RefundDraft): Promise<DraftedRefund> {
  const token = tokens.get(refund.token);
  if (!token) throw new Error(`Token ${refund.token} is not enabled on chain ${ctx.chainId}`);
  const [source, target] = [ctx.associated.of(refund.from, token), ctx.associated.of(refund.to, token)];
  const [{ of }, [latest]] = await Promise.all([
    ctx.link.accounts([source, target]),
    ctx.link.batch([{ method: 'getLatestBlockhash', params: [{ commitment: 'confirmed' }] }]),
  ]);
  const { blockhash } = latestBlockhashSchema.parse(resultOf(latest)).value;
  const message = legacyMessage(refund.from, blockhash, instructionsFor(refund, token, source, target));
  const transaction = { family: 'solana', purpose: 'refund', chainId: ctx.chainId, from: refund.from } as const;
  return {
    transactions: [{ ...transaction, transaction: unsignedBytes({ message }) }],
    balance: tokenIn(of.get(source) ?? null, token.mint)?.amount ?? 0n,
  };
}

function instructionsFor(
  { key, paymentId, refundId, from, to, amount }: RefundDraft,
  token: TokenInfo,
  source: string,
  target: string,
): TransactionInstruction[] {
  const transfer = tokenTransfer(token, { source, target, authority: from }, amount);
  transfer.keys.push(referenceKey(refundReference(key)));
  // An account of Token-2022 may demand a memo directly before the transfer.
  const memo = memoInstruction(refundMemo(paymentId, refundId), from);
  return [accountCreation(token, target, to, from), memo, transfer];
}

/**
 * The transfers that name the reference of each refund, to its receiver and in its token, whoever sent them.
 * @throws NodeUnreachable
 */
export async function readRefunds(
  ctx: Ctx,
  tokens: CheckedTokens,
  reads: readonly RefundRead[],
): Promise<RefundState[]> {
  if (reads.length === 0) return [];
  const [finalized, ...listed] = await ctx.link.batch([
    { method: 'getSlot', params: [{ commitment: 'finalized' }] },
    ...reads.map(({ key }) => listCall(refundReference(key), { limit: TRANSACTIONS_MAX })),
  ]);
  const slot = await ctx.link.latest();
  const names = listed.map((answer) => ctx.link.readable('signatures', signaturesSchema.parse(resultOf(answer))));
  const finalizedSlot = Number(resultOf(finalized));
  const made = names.map((each) => each.filter(({ err }) => err === null).map(({ signature }) => signature));
  const transactions = await transactionsOf(ctx, made.flat());
  return reads.map((read, index) => {
    const found = (made[index] ?? []).flatMap((signature) => {
      const transaction = transactions.get(signature);
      return transaction === undefined ? [] : transfersIn(ctx, tokens, read, signature, transaction, slot);
    });
    const isListed = (signature: string) => (names[index] ?? []).some((each) => each.signature === signature);
    // Nodes forget old transactions: one that was finalized is never gone.
    const gone = read.known.filter((each) => each.block.number > finalizedSlot && !isListed(each.transaction));
    return { found, gone: gone.filter(({ block }) => block.number <= slot), finalized: finalizedSlot, since: null };
  });
}

async function transactionsOf({ link }: Ctx, signatures: readonly string[]): Promise<Map<string, WireTransaction>> {
  if (signatures.length === 0) return new Map();
  const answers = await link.batch(signatures.map(transactionCall));
  return new Map(
    signatures.flatMap((signature, index) => {
      const found = transactionSchema.safeParse(shownIn(answers[index])).data;
      return found && found.meta.err === null ? [[signature, found] as const] : [];
    }),
  );
}

function transfersIn(
  { associated, confirmations }: Ctx,
  tokens: CheckedTokens,
  { key, token: mint, receiver }: RefundRead,
  signature: string,
  transaction: WireTransaction,
  slot: number,
): FoundRefund[] {
  const token = tokens.get(mint);
  if (token === undefined) return [];
  const account = associated.of(receiver, token);
  const isFinal = confirmations === null || slot - transaction.slot >= confirmations;
  return refundsIn(key, signature, transaction)
    .filter((refund) => refund.token === mint && refund.account === account)
    .map((refund) => ({ ...refund, receiver, isFinal }));
}

/** The transfers that name a refund's reference, to anybody. The index counts those of one token to one account. */
export function refundsIn(key: string, transaction: string, found: WireTransaction): OnChainRefund[] {
  const reference = refundReference(key);
  const owners = ownersOf(found);
  const block = { number: found.slot, hash: '' };
  const transfers = instructionsOf(found).flatMap((instruction, logIndex) => {
    const transfer = instruction.accounts.includes(reference) ? transferIn(instruction) : null;
    return transfer === null ? [] : [{ ...transfer, logIndex }];
  });
  return transfers.map(({ mint: token, account, source, authority, amount, logIndex }, at) => {
    const index = transfers.slice(0, at).filter((each) => each.account === account && each.mint === token).length;
    const [from, receiver] = [owners.get(source) ?? authority, owners.get(account) ?? account];
    const where = { router: null, reference, account, transaction, index, block, logIndex };
    return { key, token, from, receiver, amount, ...where };
  });
}
