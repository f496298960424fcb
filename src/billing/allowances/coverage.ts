/** The claim of a live subscription on the allowance of a wallet, for one token and operator of a playing chain. */
export interface Claim {
  readonly id: string;
  /** The next charge, in base units of the playing token. */
  readonly amount: bigint;
  /** When the subscription was first authorized; null: not yet. */
  readonly authorizedAt: string | null;
  readonly createdAt: string;
  /** When the charge falls due, in real time; null or absent: after all that have a time. */
  readonly dueAt?: string | null;
  /** Whether something is reserved for a further charge; absent: `sure`. */
  readonly reserve?: Reserve;
}

/**
 * `none`: no charge follows the last one. `unsure`: the charge in flight is the last one, so its reserve ends once it
 * has landed. `sure`: the next charge has a reserve, whether or not a charge in flight has landed.
 */
export type Reserve = 'sure' | 'unsure' | 'none';

export interface Means {
  readonly allowance: bigint;
  readonly balance: bigint;
}

export interface Coverage {
  readonly id: string;
  /** The allowance covers the next charge after the reserves of the claims before it. */
  readonly covers: boolean;
  /** The balance covers it too, after the charges that fall due before it. */
  readonly payable: boolean;
}

/**
 * Divides an allowance among the claims on it (docs/rules.md, "Operators, consent, allowances"). Authorized claims come
 * first, in the order of their authorization; then waiting ones, newest first. A claim that is not covered reserves
 * nothing unless it is authorized. Returns the results in that order.
 */
export function coverageOfClaims(claims: readonly Claim[], means: Means): Coverage[] {
  let left = means.allowance;
  const shared = inTurn(claims).map((claim) => {
    const covers = claim.amount <= left;
    const isCounted = claim.reserve !== 'none' && (claim.authorizedAt !== null || covers);
    if (isCounted) left = less(left, claim.amount);
    return { claim, covers, isCounted };
  });
  const sooner = amountsDueBefore(shared.filter(({ isCounted }) => isCounted).map(({ claim }) => claim));
  return shared.map(({ claim, covers }) => ({
    id: claim.id,
    covers,
    payable: covers && claim.amount + (sooner.get(claim) ?? 0n) <= means.balance,
  }));
}

/** A balance is spent in the order in which charges fall due; at equal times, in the given order. */
function amountsDueBefore(claims: readonly Claim[]): ReadonlyMap<Claim, bigint> {
  const last = '~';
  const byDate = claims.toSorted((one, other) => order(one.dueAt ?? last, other.dueAt ?? last));
  let sum = 0n;
  return new Map(
    byDate.map((claim) => {
      const before = sum;
      sum += claim.amount;
      return [claim, before];
    }),
  );
}

/**
 * The claims with a reserve that a charge of the subscription `id` must leave untouched: those authorized before it.
 * With null, a charge of no subscription, all authorized ones. A subscription without a claim is not live: nothing new
 * begins for it, so the result is empty.
 */
export function reservedBefore<C extends Claim>(claims: readonly C[], id: string | null): C[] {
  if (id !== null && !claims.some((claim) => claim.id === id)) return [];
  const authorized = inTurn(claims).filter(({ authorizedAt }) => authorizedAt !== null);
  const index = authorized.findIndex((claim) => claim.id === id);
  const before = index === -1 ? authorized : authorized.slice(0, index);
  return before.filter(({ reserve }) => reserve !== 'none');
}

function inTurn<C extends Claim>(claims: readonly C[]): C[] {
  const authorized = claims.filter(({ authorizedAt }) => authorizedAt !== null);
  const waiting = claims.filter(({ authorizedAt }) => authorizedAt === null);
  authorized.sort(byAuthorization);
  waiting.sort((one, other) => order(other.createdAt, one.createdAt) || order(other.id, one.id));
  return [...authorized, ...waiting];
}

/** Orders by the first authorization; at the same moment, by id. */
export function byAuthorization(one: Turn, other: Turn): number {
  return order(one.authorizedAt ?? '', other.authorizedAt ?? '') || order(one.id, other.id);
}

type Turn = Pick<Claim, 'id' | 'authorizedAt'>;

function order(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function less(from: bigint, amount: bigint): bigint {
  return from > amount ? from - amount : 0n;
}
