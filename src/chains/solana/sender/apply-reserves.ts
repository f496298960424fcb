import { allowanceName } from '../../consent.ts';
import { applyReserves as applyShared } from '../../sender/apply-reserves.ts';
import type { SolanaContext } from '../context.ts';
import { payerAllowance } from '../payer-allowance.ts';
import type { Plan } from '../plan.ts';
import type { ChainReading } from './read-chain.ts';
import type { Paying } from './sort.ts';

/** The verdicts on charges whose simulation succeeded. */
export interface Divided {
  readonly paying: readonly Paying[];
  /** The allowance without the reserves is too small for these charges. They fail. */
  readonly short: readonly Plan[];
  /** Whether the allowance suffices is known when the charges in flight have landed. */
  readonly waiting: readonly Plan[];
}

/** Half of the highest possible allowance: wallets that set no limit approve the highest, and every charge takes from it. */
const UNLIMITED = 2n ** 63n;

/**
 * Compares charges whose simulation succeeded with the reserves of their payers' allowances.
 * @throws NodeUnreachable
 */
export async function applyReserves(
  ctx: SolanaContext,
  reading: ChainReading,
  paying: readonly Paying[],
): Promise<Divided> {
  const byId = new Map(paying.map((each) => [each.plan.charge._id, each]));
  const known = new Map(paying.map(({ plan }) => [plan.charge._id, payerAllowance(plan, reading.accounts).allowance]));
  const pick = (charges: readonly { readonly _id: string }[]): Paying[] =>
    charges.flatMap(({ _id }) => byId.get(_id) ?? []);
  const divided = await applyShared(
    ctx,
    paying.map(({ plan }) => plan.charge),
    {
      known,
      unlimited: UNLIMITED,
      nameOf: allowanceName,
      async read(limited) {
        const plans = pick(limited).map(({ plan }) => plan);
        const accounts = await ctx.link.accounts([...new Set(plans.map(({ source }) => source))]);
        return plans.map((plan) => payerAllowance(plan, accounts).allowance);
      },
    },
  );
  return {
    paying: pick(divided.paying),
    short: pick(divided.short).map(({ plan }) => plan),
    waiting: pick(divided.waiting).map(({ plan }) => plan),
  };
}
