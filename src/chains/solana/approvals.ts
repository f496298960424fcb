import { type TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import type { ApprovalDraft, Approvals } from '../port.ts';
import { resultOf } from '../rpc.ts';
import type { SolanaContext } from './context.ts';
import type { TokenInfo } from './mints.ts';
import { publicKeyOf } from './public-keys.ts';
import {
  createApproveCheckedInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createRevokeInstruction,
} from './spl-token.ts';
import { latestBlockhashSchema } from './wire.ts';

/** What a payer's wallet signs and sends to approve a delegate: it pays for it, and nobody else signs. */
export function solanaApprovals(ctx: SolanaContext): Approvals {
  return { draft: (approval) => draft(ctx, approval) };
}

async function draft(ctx: SolanaContext, approval: ApprovalDraft): Promise<string> {
  const token = (await ctx.link.ready()).get(approval.token);
  if (!token) throw new Error(`Token ${approval.token} is not enabled on chain ${ctx.chainId}`);
  const account = ctx.associated.of(approval.wallet, token);
  const [{ of }, [latest]] = await Promise.all([
    ctx.link.accounts([account]),
    ctx.link.batch([{ method: 'getLatestBlockhash', params: [{ commitment: 'confirmed' }] }]),
  ]);
  const { blockhash } = latestBlockhashSchema.parse(resultOf(latest)).value;
  const isMissing = (of.get(account) ?? null) === null;
  const message = new TransactionMessage({
    payerKey: publicKeyOf(approval.wallet),
    recentBlockhash: blockhash,
    instructions: [...(isMissing ? [creation(token, account, approval)] : []), grant(token, account, approval)],
  }).compileToLegacyMessage();
  return Buffer.from(new VersionedTransaction(message).serialize()).toString('base64');
}

/** An account that is not there cannot approve anybody. */
function creation({ mint, program }: TokenInfo, account: string, { wallet }: ApprovalDraft): TransactionInstruction {
  const owner = publicKeyOf(wallet);
  return createAssociatedTokenAccountIdempotentInstruction(
    owner,
    publicKeyOf(account),
    owner,
    publicKeyOf(mint),
    publicKeyOf(program),
  );
}

function grant(
  { mint, program, decimals }: TokenInfo,
  account: string,
  { wallet, operator, value }: ApprovalDraft,
): TransactionInstruction {
  const [source, owner, programId] = [publicKeyOf(account), publicKeyOf(wallet), publicKeyOf(program)];
  if (value === 0n) return createRevokeInstruction(source, owner, [], programId);
  const delegate = publicKeyOf(operator);
  return createApproveCheckedInstruction(source, publicKeyOf(mint), delegate, owner, value, decimals, [], programId);
}
