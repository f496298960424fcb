import type { BillingDeps } from '../deps.ts';
import type { RequestedAllowance } from './requested-allowance.ts';

/** A payer's state on the chain now, in base units of the playing token. */
export interface PayerState {
  readonly wallet: string;
  readonly allowance: bigint;
  readonly balance: bigint;
  /** The amounts missing for the next charge, after the charges before it; 0: none. */
  readonly missingAllowance: bigint;
  readonly missingBalance: bigint;
  /**
   * The amount that the balance lacks for a charge that is made as soon as the allowance suffices; 0: none, or no such
   * charge.
   */
  readonly missingNow: bigint;
  /** Solana: the account has another service's delegate. An approval of this one replaces it. */
  readonly hasOtherDelegate?: true;
}

/** null: the chain does not answer. Unknown is not zero. */
export async function payerState(
  { log }: Pick<BillingDeps, 'log'>,
  { token, due, isDue, dueNow = due, reserved }: RequestedAllowance,
  wallet: string,
): Promise<PayerState | null> {
  const { chain, play, operator } = token;
  try {
    const [state] = await chain.readAllowances([{ token: play.token, wallet, operator }]);
    if (!state) throw new Error(`chain ${chain.chainId} does not read ${play.token}`);
    const needed = due + reserved;
    return {
      wallet,
      ...state,
      missingAllowance: lacking(needed, state.allowance),
      missingBalance: lacking(dueNow + reserved, state.balance),
      missingNow: isDue ? lacking(dueNow, state.balance) : 0n,
    };
  } catch (error) {
    log.warn(
      { err: error, chainId: chain.chainId },
      'a chain does not answer; its checkouts show no balance or allowance for now',
    );
    return null;
  }
}

function lacking(needed: bigint, there: bigint): bigint {
  return needed > there ? needed - there : 0n;
}
