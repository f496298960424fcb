import type { ChargeDoc } from '../../store/collections.ts';
import { SHARE_REASON } from '../charges.ts';
import type { AllowanceState, PullReason, RefusalFact } from '../port.ts';
import { NodeUnreachable } from '../rpc.ts';
import type { EvmContext } from './context.ts';
import type { Reason } from './contracts/reasons.ts';
import { operatorAddress } from './contracts/router.ts';

/** A charge that the router did not make, in simulation or in a block. */
export interface Failure {
  readonly charge: ChargeDoc;
  readonly reason: Reason;
  /** The amounts that charges before it in the same batch take from the same allowance and balance. */
  readonly taken: { readonly allowance: bigint; readonly balance: bigint };
}

/** The meaning of a failure for the payment. `seen` is no failure: the key has been charged before. */
export type Explained = RefusalFact | { readonly kind: 'seen' };

export interface ExplainOptions {
  readonly router: string;
  /** True if it was refused in a block; false: in simulation only. */
  readonly landed: boolean;
  /** The reads of the payers' allowances and balances see the state after this block. */
  readonly block: string;
}

/**
 * Why each charge failed, in the words of the reference. A token's own error is not enough, because many tokens give none. The
 * payer's allowance is checked first, then the balance; only if both suffice does the token's typed error decide.
 * @throws NodeUnreachable
 */
export async function explain(
  ctx: EvmContext,
  failures: readonly Failure[],
  options: ExplainOptions,
): Promise<Explained[]> {
  const pulls = failures.filter(({ reason }) => reason.kind === 'pull_failed');
  const states = await readStates(ctx, pulls, options);
  return failures.map((failure) => explainOne(failure, states.get(failure), options.landed));
}

async function readStates(
  ctx: EvmContext,
  pulls: readonly Failure[],
  { router, block }: ExplainOptions,
): Promise<Map<Failure, AllowanceState>> {
  if (pulls.length === 0) return new Map();
  const reads = pulls.map(({ charge }) => ({
    token: charge.token,
    wallet: charge.from,
    operator: operatorAddress(router, charge.merchantId, charge.mode),
  }));
  const states = await ctx.allowances.read(reads, block).catch((error: unknown) => {
    // A node that no longer has the state of that block can still give the current state.
    if (error instanceof NodeUnreachable || block === 'latest') throw error;
    return ctx.allowances.read(reads);
  });
  return new Map(pulls.flatMap((pull, index) => (states[index] ? [[pull, states[index]]] : [])));
}

function explainOne(failure: Failure, state: AllowanceState | undefined, landed: boolean): Explained {
  const { charge, reason } = failure;
  switch (reason.kind) {
    case 'seen':
      return { kind: 'seen' };
    case 'pull_failed':
      return { kind: 'refused', reason: pullReason(failure, state), landed };
    case 'refund_failed':
      return reason.inner.kind === 'insufficient_balance'
        ? { kind: 'refused', reason: 'insufficient_balance', landed }
        : { kind: 'undeliverable', reason: 'forward_reverted' };
    case 'share_failed':
    case 'bad_recipient': {
      const role = charge.shares[reason.index]?.role ?? 'forward';
      return { kind: 'undeliverable', reason: SHARE_REASON[role] };
    }
    default:
      return { kind: 'refused', reason: 'pull_reverted', landed };
  }
}

function pullReason({ charge, reason, taken }: Failure, state: AllowanceState | undefined): PullReason {
  const gross = BigInt(charge.gross);
  const isPulled = charge.deposit === undefined;
  if (isPulled && state && state.allowance - taken.allowance < gross) return 'insufficient_allowance';
  if (state && state.balance - taken.balance < gross) return 'insufficient_balance';
  if (reason.kind !== 'pull_failed') return 'pull_reverted';
  const said = reason.inner.kind;
  return said === 'insufficient_allowance' || said === 'insufficient_balance' ? said : 'pull_reverted';
}
