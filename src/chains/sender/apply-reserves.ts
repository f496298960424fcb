import type { ChargeDoc } from '../../store/collections.ts';
import type { ChainContext } from '../context.ts';
import { groupBy } from '../group-by.ts';
import type { Reserved } from '../port.ts';

/** A charge whose simulation succeeded, with what its chain's family knows about it. */
export interface Simulated {
  readonly charge: ChargeDoc;
}

/** The verdicts on charges whose simulation succeeded. */
export interface Divided<S extends Simulated> {
  readonly paying: readonly S[];
  /** The allowance without the reserves is too small for these charges. They fail with `SHORT`. */
  readonly short: readonly (S & { readonly allowance: bigint })[];
  /** Whether the allowance suffices is known when the charges in flight have landed. */
  readonly waiting: readonly S[];
}

/** The refusal of a charge that would leave less than the reserve. */
export const SHORT = { kind: 'refused', reason: 'insufficient_allowance', landed: false } as const;

export interface Allowances<S extends Simulated> {
  /** By id of `ChargeDoc`, as they were read together with the simulation. */
  readonly known: ReadonlyMap<string, bigint>;
  /** An allowance of this amount or more needs no reserve: the next charges of all subscriptions take less. */
  readonly unlimited: bigint;
  /** The name of the allowance that a charge draws on. */
  nameOf(charge: ChargeDoc): string;
  /** Reads the present allowances from which the charges take; one answer per charge, in their order. */
  read(simulated: readonly S[]): Promise<readonly bigint[]>;
}

/** More than the charges that can be in flight on one chain. */
const IN_FLIGHT_MAX = 10_000;

/**
 * Compares charges with the reserves of their payers' allowances (docs/rules.md, "Operators, consent, allowances"). The
 * simulation of each of them succeeded.
 *
 * A charge in flight counts as not yet taken from the allowance, unless the reserves include it. It may have landed
 * already: if the verdict depends on that, the new charge waits for another check. So the order of the reads matters:
 * first the charges in flight, then the allowances, which show every charge that landed before.
 * As a rule an allowance is enough for all that claim it. Only where it is not, the claims are read one by one.
 * @throws the errors of `read`
 */
export async function applyReserves<S extends Simulated>(
  ctx: ChainContext,
  simulated: readonly S[],
  allowances: Allowances<S>,
  precision: 'at_most' | 'exact' = 'at_most',
): Promise<Divided<S>> {
  const { known, unlimited, nameOf, read } = allowances;
  const limited = simulated.filter(({ charge }) => (known.get(charge._id) ?? 0n) < unlimited);
  if (limited.length === 0) return { paying: simulated, short: [], waiting: [] };
  const charges = limited.map(({ charge }) => charge);
  const { listener } = ctx;
  const [reserve, inFlight] = await Promise.all([listener.reserves(charges, precision), chargesInFlight(ctx, charges)]);
  const amounts = await read(limited);
  const allowed = new Map(charges.map(({ _id }, index) => [_id, amounts[index] ?? 0n]));
  const taking = new Map<string, readonly ChargeDoc[]>(groupBy(inFlight, nameOf));
  const divided = { paying: [] as S[], short: [] as (S & { allowance: bigint })[], waiting: [] as S[] };
  for (const each of simulated) {
    const { charge } = each;
    const allowance = allowed.get(charge._id);
    const before = taking.get(nameOf(charge)) ?? [];
    const verdict = allowance === undefined ? 'paying' : verdictOn(charge, allowance, reserve.get(charge._id), before);
    if (verdict === 'short') divided.short.push({ ...each, allowance: allowance ?? 0n });
    else divided[verdict].push(each);
    if (verdict === 'paying') taking.set(nameOf(charge), [...before, charge]);
  }
  const doubtful = new Set([...divided.short, ...divided.waiting].map(({ charge }) => nameOf(charge)));
  if (precision === 'exact' || doubtful.size === 0) return divided;
  const isDoubtful = ({ charge }: S): boolean => doubtful.has(nameOf(charge));
  const { paying, ...others } = await applyReserves(ctx, simulated.filter(isDoubtful), allowances, 'exact');
  return { paying: [...divided.paying.filter((each) => !isDoubtful(each)), ...paying], ...others };
}

function verdictOn(
  { gross }: ChargeDoc,
  allowance: bigint,
  reserved: Reserved | undefined,
  before: readonly ChargeDoc[],
): 'paying' | 'waiting' | 'short' {
  if (reserved === undefined) return 'waiting';
  const left = allowance - reserved.sure - BigInt(gross);
  if (left < 0n) return 'short';
  const uncounted = before.filter(({ paymentId }) => !reserved.paymentIds.has(paymentId));
  const inFlight = uncounted.reduce((sum, charge) => sum + BigInt(charge.gross), reserved.unsure);
  return left < inFlight ? 'waiting' : 'paying';
}

/** Charges that are signed, or about to be, and not known to be in a block; without `charges` themselves. */
export async function chargesInFlight(
  ctx: Pick<ChainContext, 'chainId' | 'records'>,
  charges: readonly ChargeDoc[],
): Promise<ChargeDoc[]> {
  const ids = new Set(charges.map(({ _id }) => _id));
  const wallets = [...new Set(charges.map(({ from }) => from))];
  const found = await ctx.records.find('charges', {
    where: { chainId: ctx.chainId, state: { in: ['started', 'sent'] }, from: { in: wallets } },
    limit: IN_FLIGHT_MAX,
  });
  return found.filter(({ _id }) => !ids.has(_id));
}
