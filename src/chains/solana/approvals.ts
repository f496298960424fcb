import type { TransactionInstruction } from '@solana/web3.js';
import type { ApprovalDraft, Approvals, DraftedApproval } from '../port.ts';
import { type RpcAnswer, resultOf } from '../rpc.ts';
import type { SolanaContext } from './context.ts';
import { customOf, PAYER_ERRORS, SYSTEM_LACKS } from './explain.ts';
import { accountCreation, legacyMessage } from './instructions.ts';
import { publicKeyOf } from './public-keys.ts';
import { splToken } from './spl-token.ts';
import type { TokenInfo } from './token-account.ts';
import { simulationCall, unsignedBytes } from './transaction.ts';
import { latestBlockhashSchema, simulationSchema, type WireError } from './wire.ts';

/** The number of the token programs' error "account is frozen". */
const FROZEN = 17;

/** Transactions by which a payer approves a delegate. The payer's wallet alone signs, sends and pays for them. */
export function solanaApprovals(ctx: SolanaContext): Approvals {
  return { draft: (approval) => draft(ctx, approval) };
}

async function draft(ctx: SolanaContext, approval: ApprovalDraft): Promise<DraftedApproval> {
  const token = (await ctx.link.ready()).get(approval.token);
  if (!token) throw new Error(`Token ${approval.token} is not enabled on chain ${ctx.chainId}`);
  const account = ctx.associated.of(approval.wallet, token);
  const [{ of }, [latest]] = await Promise.all([
    ctx.link.accounts([account]),
    ctx.link.batch([{ method: 'getLatestBlockhash', params: [{ commitment: 'confirmed' }] }]),
  ]);
  const { blockhash } = latestBlockhashSchema.parse(resultOf(latest)).value;
  const isMissing = (of.get(account) ?? null) === null;
  const { wallet } = approval;
  // An account that does not exist cannot approve anybody.
  const creation = isMissing ? [accountCreation(token, account, wallet, wallet)] : [];
  const message = legacyMessage(wallet, blockhash, [...creation, grant(token, account, approval)]);
  const since = ctx.link.head ?? 0;
  const [simulated] = await ctx.link.batch([simulationCall({ message })]);
  const why = refusalIn(simulated, isMissing, since);
  return why === null ? { kind: 'draft', transaction: unsignedBytes({ message }) } : { kind: 'refused', why };
}

/** Why the chain would refuse the transaction, for the payer. Null: it would not, or no node says as of `since`. */
function refusalIn(simulated: RpcAnswer | undefined, isMissing: boolean, since: number): string | null {
  if (simulated?.ok !== true) return null;
  const { context, value } = simulationSchema.parse(simulated.result);
  return value.err === null || context.slot < since ? null : reasonOf(value.err, isMissing);
}

function reasonOf(err: WireError, isMissing: boolean): string | null {
  if (typeof err === 'string')
    return PAYER_ERRORS.has(err) ? 'The wallet has too little SOL for the network fee' : null;
  if ('InsufficientFundsForRent' in err) return 'The wallet has too little SOL to keep its accounts';
  const [index, cause] = Array.isArray(err['InstructionError']) ? err['InstructionError'] : [];
  const number = customOf(cause);
  if (isMissing && index === 0 && number === SYSTEM_LACKS)
    return 'The wallet has too little SOL to open an account for this token';
  if (number === FROZEN) return "The wallet's account of this token is frozen";
  return `The token would refuse this approval: ${JSON.stringify(cause ?? err)}`;
}

function grant(
  { mint, program, decimals }: TokenInfo,
  account: string,
  { wallet, operator, value }: ApprovalDraft,
): TransactionInstruction {
  const [source, owner, programId] = [publicKeyOf(account), publicKeyOf(wallet), publicKeyOf(program)];
  if (value === 0n) return splToken.createRevokeInstruction(source, owner, [], programId);
  const [mintKey, delegate] = [publicKeyOf(mint), publicKeyOf(operator)];
  const { createApproveCheckedInstruction: create } = splToken;
  return create(source, mintKey, delegate, owner, value, decimals, [], programId);
}
