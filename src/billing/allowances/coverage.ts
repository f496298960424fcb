/** A live subscription of one wallet on one token and operator of a playing chain, as the allowance is shared out. */
export interface Claim {
  readonly id: string;
  /** Its next charge, base units of the playing token. */
  readonly amount: bigint;
  /** When it was first authorized; null: it waits for that. */
  readonly authorizedAt: string | null;
  readonly createdAt: string;
  /** When it falls due, real time; null or absent: after all that do. */
  readonly dueAt?: string | null;
  /** Whether a further charge is to come at all, for which something is reserved; absent: it is. */
  readonly reserve?: Reserve;
}

/**
 * `none`: no charge will follow the last one. `unsure`: the charge in flight is the last one, so what is reserved for it
 * is no longer once it has landed. `sure`: whether a charge in flight has landed or not, the next one is reserved for.
 */
export type Reserve = 'sure' | 'unsure' | 'none';

export interface Means {
  readonly allowance: bigint;
  readonly balance: bigint;
}

export interface Coverage {
  readonly id: string;
  /** The allowance covers its next charge after what is reserved for those before it. */
  readonly covers: boolean;
  /** So does the balance, after the charges that fall due before it: money that is there for nobody else's turn. */
  readonly payable: boolean;
}

/**
 * Shares an allowance out among the claims on it (docs/rules.md, "Operators, consent, allowances"): those authorized come
 * first, in the order in which they were; of those that wait the newest is checked first, and what is not covered sets
 * nothing aside. Answers in that order.
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

/** What a wallet has is spent as charges fall due; what does so at the same moment in the order given. */
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
 * The claims for which something is reserved before a charge of the subscription `id` may take from the allowance: those
 * authorized before it. Null: every authorized one, as for a charge of no subscription. One that has no claim is not live:
 * nothing new begins for it, so nothing is reserved either.
 */
export function reservedBefore<C extends Claim>(claims: readonly C[], id: string | null): C[] {
  if (id !== null && !claims.some((claim) => claim.id === id)) return [];
  const authorized = inTurn(claims).filter(({ authorizedAt }) => authorizedAt !== null);
  const place = authorized.findIndex((claim) => claim.id === id);
  const before = place === -1 ? authorized : authorized.slice(0, place);
  return before.filter(({ reserve }) => reserve !== 'none');
}

function inTurn<C extends Claim>(claims: readonly C[]): C[] {
  const authorized = claims.filter(({ authorizedAt }) => authorizedAt !== null);
  const waiting = claims.filter(({ authorizedAt }) => authorizedAt === null);
  authorized.sort(byAuthorization);
  waiting.sort((one, other) => order(other.createdAt, one.createdAt) || order(other.id, one.id));
  return [...authorized, ...waiting];
}

/** Of two that have been authorized the one that was first is covered first; at the same moment, the one with the lower id. */
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
