import type { BillingDeps } from '../deps.ts';
import type { Asked } from './lines.ts';

/** What the chain says of a payer now, base units of the playing token. */
export interface ChainSays {
  readonly wallet: string;
  readonly allowance: bigint;
  readonly balance: bigint;
  /** What is short for the next charge, after the charges that come before it; 0: nothing. */
  readonly missingAllowance: bigint;
  readonly missingBalance: bigint;
  /** What the balance lacks for a charge that is made as soon as the allowance is there; 0: nothing, or none is. */
  readonly missingNow: bigint;
  /** Solana: the account has a delegate, and it is another service's. Whoever approves this one takes it away from that. */
  readonly hasOtherDelegate?: true;
}

/** Null: the chain does not answer. Unknown is not zero. */
export async function chainSays(
  { log }: Pick<BillingDeps, 'log'>,
  { place, due, isDue, reserved }: Asked,
  wallet: string,
): Promise<ChainSays | null> {
  const { chain, play, operator } = place;
  try {
    const [state] = await chain.readAllowances([{ token: play.token, wallet, operator }]);
    if (!state) throw new Error(`chain ${chain.chainId} does not read ${play.token}`);
    const needed = due + reserved;
    return {
      wallet,
      ...state,
      missingAllowance: lacking(needed, state.allowance),
      missingBalance: lacking(needed, state.balance),
      missingNow: isDue ? lacking(due, state.balance) : 0n,
    };
  } catch (error) {
    log.warn({ err: error, chainId: chain.chainId }, 'a checkout goes on without an answer of its chain');
    return null;
  }
}

function lacking(needed: bigint, there: bigint): bigint {
  return needed > there ? needed - there : 0n;
}
