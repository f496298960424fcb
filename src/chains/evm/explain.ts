import type { ChargeDoc, ShareRole } from '../../store/collections.ts';
import { NOT_IN_CATALOG, SHARE_REASON } from '../charges.ts';
import { mandateFault } from '../mandate-reader.ts';
import { isMandateReason, pullReasonOf } from '../mandate-rules.ts';
import type { AllowanceRead, AllowanceState, PullReason, RefusalFact } from '../port.ts';
import { isRefusal, lacksBlock, NodeRefused, NodeUnreachable, type RpcAnswer, type RpcCall, resultOf } from '../rpc.ts';
import { transferCall } from './allowances.ts';
import type { EvmContext } from './context.ts';
import type { Reason, TokenReason } from './contracts/reasons.ts';
import { decodeSeen } from './contracts/router.ts';
import { fenceCall } from './router-charge.ts';
import { routerOf } from './routers.ts';
import { hexBytes } from './wire.ts';

/** A charge that the router did not make, in simulation or in a block. */
export interface Failure {
  readonly charge: ChargeDoc;
  readonly reason: Reason;
  /** The amounts that charges before it in the same batch take from the same allowance and balance. */
  readonly taken: { readonly allowance: bigint; readonly balance: bigint };
}

/** `seen`: no failure, the charge has been made before. `paused`: none either, the token lets nobody transfer. */
export type Explained = RefusalFact | { readonly kind: 'seen' } | { readonly kind: 'paused' };

export interface ExplainOptions {
  /** True if it was refused in a block; false: in simulation only. */
  readonly landed: boolean;
  /** The reads of the payers' allowances and balances see the state after this block. */
  readonly block: string;
}

/** What the chain says about a failure beside the router's reason. */
interface Findings {
  /** Under a mandate: its cycle has been charged. */
  readonly isSeen: boolean;
  readonly state: AllowanceState | undefined;
  /** Under a mandate: the payer can pay somebody else, so the recipient of the share is the obstacle. */
  readonly canPayOthers: boolean;
  readonly isPaused: boolean;
}

/**
 * Why each charge failed, in the words of the reference. A token's own error is not enough, because many tokens give
 * none. The payer's allowance is checked first, then the balance; only if both suffice does the token's typed error
 * decide. Under a mandate the token moves each share directly, so a refused share may be the payer's or the
 * recipient's: then a call that pays somebody else decides. None of this counts while the token lets nobody transfer.
 * @throws NodeUnreachable; an error that `lacksBlock` when the node does not have the block
 */
export async function explain(
  ctx: EvmContext,
  failures: readonly Failure[],
  options: ExplainOptions,
): Promise<Explained[]> {
  const seen = await madeBefore(ctx, failures, options);
  const pulls = failures.filter((failure) => !seen.has(failure) && isPull(failure.reason));
  const states = await readStates(ctx, pulls, options);
  const doubtful = pulls.filter((pull) => missingOf(pull, states.get(pull)) === null && isShare(pull.reason));
  const [payers, paused] = await Promise.all([
    payersOf(ctx, doubtful, options),
    pausedTokens(
      ctx,
      failures.filter((failure) => !seen.has(failure) && 'inner' in failure.reason),
      options,
    ),
  ]);
  return failures.map((failure) => {
    const found = { isSeen: seen.has(failure), state: states.get(failure), canPayOthers: payers.has(failure) };
    return explainOne(failure, { ...found, isPaused: paused.has(tokenOf(failure)) }, options.landed);
  });
}

function isPull({ kind }: Reason): boolean {
  return kind === 'pull_failed' || kind === 'share_pull_failed';
}

function isShare({ kind }: Reason): boolean {
  return kind === 'share_pull_failed';
}

/**
 * The charges under mandates whose cycle has been charged. The router checks most rules of the mandate before the
 * cycle, so a charge that was made before may be refused as used up, or as ahead of its rhythm.
 */
async function madeBefore(
  ctx: EvmContext,
  failures: readonly Failure[],
  { block }: ExplainOptions,
): Promise<ReadonlySet<Failure>> {
  const bounded = failures.filter(({ charge, reason }) => charge.mandate && !isBehind(reason));
  if (bounded.length === 0) return new Set();
  const mandates = await ctx.mandates.ofCharges(bounded.map(({ charge }) => charge));
  const sound = bounded.filter(({ charge }) => mandateFault(charge, mandates) === null);
  const answers = await atBlock(ctx, block, (at) =>
    sound.map(({ charge }) => fenceCall(routerOf(charge), charge, mandates, at)),
  );
  return new Set(sound.filter((_, index) => decodeSeen(hexBytes.parse(resultOf(answers[index])))));
}

/** True for a cycle that is too far behind: `cycleSeen` counts it as charged, whether it was or not. */
function isBehind(reason: Reason): boolean {
  return reason.kind === 'cycle_out_of_range' && reason.cycle < reason.last;
}

async function readStates(
  ctx: EvmContext,
  pulls: readonly Failure[],
  { block }: ExplainOptions,
): Promise<Map<Failure, AllowanceState>> {
  if (pulls.length === 0) return new Map();
  const reads = pulls.map(({ charge }) => ctx.routers.allowanceOf(charge));
  const states = await ctx.allowances.read(reads, block).catch((error: unknown) => {
    if (error instanceof NodeUnreachable || lacksBlock(error)) throw error;
    // A node may no longer have the state of that block, and a token may give no number, or burn all gas.
    return Promise.all(reads.map((read) => readAlone(ctx, read)));
  });
  return new Map(pulls.flatMap((pull, index) => (states[index] ? [[pull, states[index]]] : [])));
}

/** The current state; null: its token gives none. So no token keeps the charges of others from being explained. */
async function readAlone({ allowances }: EvmContext, read: AllowanceRead): Promise<AllowanceState | null> {
  try {
    return (await allowances.read([read]))[0] ?? null;
  } catch (error) {
    if (error instanceof NodeUnreachable) throw error;
    return null;
  }
}

/** The failures whose payer can pay the refused amount to the router: the call pays nobody, and is not sent. */
async function payersOf(
  ctx: EvmContext,
  failures: readonly Failure[],
  { block }: ExplainOptions,
): Promise<ReadonlySet<Failure>> {
  if (failures.length === 0) return new Set();
  const answers = await atBlock(ctx, block, (at) =>
    failures.map(({ charge, reason }) => {
      const amount = reason.kind === 'share_pull_failed' ? charge.shares[reason.index]?.amount : undefined;
      const call = transferCall(ctx.routers.allowanceOf(charge), routerOf(charge), BigInt(amount ?? charge.gross));
      return { method: 'eth_call', params: [call, at] };
    }),
  );
  return new Set(failures.filter((_, index) => isPaid(answers[index])));
}

/**
 * The tokens (`tokenOf`) that let nobody transfer: the router, which is neither payer nor recipient, cannot even send 0
 * to itself. An asset that is not in the catalog is never one of them: anybody can make one.
 */
async function pausedTokens(
  ctx: EvmContext,
  failures: readonly Failure[],
  { block }: ExplainOptions,
): Promise<ReadonlySet<string>> {
  const known = failures.filter(({ charge }) => charge.token !== NOT_IN_CATALOG);
  const tokens = new Map(known.map((failure) => [tokenOf(failure), failure.charge]));
  if (tokens.size === 0) return new Set();
  const answers = await atBlock(ctx, block, (at) =>
    [...tokens.values()].map((charge) => {
      const router = routerOf(charge);
      const call = transferCall({ token: charge.token, wallet: router, operator: router }, router, 0n);
      return { method: 'eth_call', params: [call, at] };
    }),
  );
  return new Set([...tokens.keys()].filter((_, index) => !isPaid(answers[index])));
}

/** Its token, as the router of its charge uses it. */
function tokenOf({ charge }: Failure): string {
  return `${charge.token}/${routerOf(charge)}`;
}

/** A revert, a call that runs out of gas, or the answer `false` means that the token refuses. */
function isPaid(answer: RpcAnswer | undefined): boolean {
  if (isRefusal(answer)) return false;
  return !/^0x0{64}$/.test(hexBytes.parse(resultOf(answer)));
}

/** The answers as of a block; as of now, if the node no longer has the state of that block. */
async function atBlock(
  ctx: EvmContext,
  block: string,
  calls: (block: string) => readonly RpcCall[],
): Promise<readonly RpcAnswer[]> {
  const answers = await ctx.link.batch(calls(block));
  for (const answer of answers) if (!answer.ok && lacksBlock(answer.error)) throw answer.error;
  const isGone = (answer: RpcAnswer) => !answer.ok && answer.error instanceof NodeRefused && !answer.error.isRevert;
  return block !== 'latest' && answers.some(isGone) ? ctx.link.batch(calls('latest')) : answers;
}

function explainOne(failure: Failure, findings: Findings, landed: boolean): Explained {
  const { charge, reason } = failure;
  if (findings.isSeen) return { kind: 'seen' };
  if (findings.isPaused && 'inner' in reason) return { kind: 'paused' };
  switch (reason.kind) {
    case 'seen':
      return { kind: 'seen' };
    case 'pull_failed':
      return { kind: 'refused', reason: pullReason(failure, reason.inner, findings.state), landed };
    case 'share_pull_failed':
      return findings.canPayOthers
        ? undeliverable(charge, reason.index)
        : { kind: 'refused', reason: pullReason(failure, reason.inner, findings.state), landed };
    case 'refund_failed':
      return reason.inner.kind === 'insufficient_balance'
        ? { kind: 'refused', reason: 'insufficient_balance', landed }
        : { kind: 'undeliverable', reason: 'forward_reverted' };
    case 'share_failed':
    case 'bad_recipient':
      return undeliverable(charge, reason.index);
    default:
      return { kind: 'refused', reason: isMandateReason(reason) ? pullReasonOf(reason) : 'pull_reverted', landed };
  }
}

function undeliverable({ shares }: ChargeDoc, index: number): RefusalFact {
  const role: ShareRole = shares[index]?.role ?? 'forward';
  return { kind: 'undeliverable', reason: SHARE_REASON[role] };
}

function pullReason(failure: Failure, inner: TokenReason, state: AllowanceState | undefined): PullReason {
  const missing = missingOf(failure, state);
  if (missing !== null) return missing;
  const kind = inner.kind;
  return kind === 'insufficient_allowance' || kind === 'insufficient_balance' ? kind : 'pull_reverted';
}

/** What the payer's reading lacks for the charge. Null: it suffices, or there is none. */
function missingOf({ charge, taken }: Failure, state: AllowanceState | undefined): PullReason | null {
  if (state === undefined) return null;
  const gross = BigInt(charge.gross);
  const isPulled = charge.deposit === undefined;
  if (isPulled && state.allowance - taken.allowance < gross) return 'insufficient_allowance';
  return state.balance - taken.balance < gross ? 'insufficient_balance' : null;
}
