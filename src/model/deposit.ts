import type { DepositArrival, DepositDoc, HeldWhy } from '../store/collections.ts';

/** The state of a payment as far as deposits are concerned: `open` while it may still be charged from them. */
export type PaymentPhase = 'open' | 'settled' | 'ended';

export interface AllocationRules {
  /** The least amount of a token that is refunded automatically, in base units. */
  readonly costOf: (token: string) => bigint;
  /** The key of a deposit's refund. A further refund, after one that was made, has another key. */
  readonly keyOf: (arrivalId: string, round: number) => string;
  /** The real time before which no refund is sent. */
  readonly notBefore: Date;
}

/**
 * Decides what becomes of every deposit at an address (docs/rules.md, "Payments": `wallet_transfer`). The charge uses
 * the earliest deposits. The rest goes to the refund wallet. Without one it is held, until a refund wallet is named or
 * staff send it; it never goes to its sender, which may be an exchange. Money that is held for another reason stays
 * held. Pure and idempotent.
 */
export function allocate(doc: DepositDoc, phase: PaymentPhase, rules: AllocationRules): readonly DepositArrival[] {
  if (phase === 'open') return doc.arrivals;
  const charged = chargedParts(doc, phase === 'settled' ? BigInt(doc.due) : 0n);
  return doc.arrivals.map((arrival, index) => decided(doc, arrival, charged[index] ?? 0n, rules));
}

/** The base units of a deposit that are still at the address, including a refund under way. */
export function leftOf({ amount, charged, refunded }: DepositArrival): bigint {
  return BigInt(amount) - BigInt(charged) - BigInt(refunded);
}

/** True if only the address's balance shows it. Such money counts for no payment, and staff decide about it. */
export function isByBalance({ txHash }: Pick<DepositArrival, 'txHash'>): boolean {
  return txHash === null;
}

/** The part of each deposit that the charge has used: as noted before, the rest from the earliest with money left. */
function chargedParts({ arrivals, token }: DepositDoc, due: bigint): bigint[] {
  const noted = arrivals.map(({ charged }) => (due === 0n ? 0n : BigInt(charged)));
  let missing = due - noted.reduce((sum, part) => sum + part, 0n);
  return arrivals.map((arrival, index) => {
    const part = noted[index] ?? 0n;
    if (arrival.token !== token || isByBalance(arrival) || arrival.fate === 'refunding') return part;
    const free = BigInt(arrival.amount) - BigInt(arrival.refunded) - part;
    const more = free < missing ? free : missing;
    missing -= more;
    return part + more;
  });
}

function decided(doc: DepositDoc, arrival: DepositArrival, charged: bigint, rules: AllocationRules): DepositArrival {
  const now: DepositArrival = { ...arrival, charged: charged.toString() };
  const left = leftOf(now);
  if (now.fate === 'refunding') return now;
  if (left === 0n) return { ...now, fate: BigInt(now.refunded) > 0n ? 'refunded' : 'charged', held: null };
  if (now.fate === 'held' && now.held !== 'no_refund_wallet') return now;
  if (isByBalance(now)) return held(now, 'not_in_catalog');
  const to = doc.refundWallet;
  if (to === null) return held(now, 'no_refund_wallet');
  return left < rules.costOf(now.token) ? held(now, 'below_cost') : refunding(now, to, rules);
}

/** Marks a deposit as held at its address until staff send it. */
export function held(arrival: DepositArrival, why: HeldWhy): DepositArrival {
  return { ...arrival, fate: 'held', held: why };
}

/** Starts a refund of the rest to `to`. A refused refund is requested again under its own key. */
export function refunding(
  arrival: DepositArrival,
  to: string,
  { keyOf, notBefore }: Pick<AllocationRules, 'keyOf' | 'notBefore'>,
): DepositArrival {
  const before = arrival.refund;
  const isMade = before !== null && before.txHash !== null;
  const round = before === null ? 1 : before.round + (isMade ? 1 : 0);
  const attempt = before === null || isMade ? 1 : before.attempt + 1;
  const amount = leftOf(arrival).toString();
  const refund = { key: keyOf(arrival.id, round), round, attempt, to, amount, notBefore, txHash: null };
  return { ...arrival, fate: 'refunding', held: null, refund };
}

/** Notes a final refund of `amount` base units, as seen on the chain. */
export function refundLanded(arrival: DepositArrival, txHash: string, amount: string): DepositArrival {
  const { refund } = arrival;
  if (refund === null || refund.txHash !== null) return arrival;
  const refunded = (BigInt(arrival.refunded) + BigInt(amount)).toString();
  const now: DepositArrival = { ...arrival, refunded, refund: { ...refund, amount, txHash } };
  return { ...now, fate: leftOf(now) === 0n ? 'refunded' : 'open', held: null };
}

/** Notes that a final refund was reorged out, and is in a block again in another transaction. */
export function refundMoved(arrival: DepositArrival, txHash: string): DepositArrival {
  const { refund } = arrival;
  if (refund === null || refund.txHash === null || refund.txHash === txHash) return arrival;
  return { ...arrival, refund: { ...refund, txHash } };
}

/** Notes that a final refund was reorged out and can never land again: it is requested again under its own key. */
export function refundFellOut(arrival: DepositArrival): DepositArrival {
  const { refund } = arrival;
  if (refund === null || refund.txHash === null) return arrival;
  const refunded = (BigInt(arrival.refunded) - BigInt(refund.amount)).toString();
  return { ...arrival, refunded, fate: 'open', refund: { ...refund, txHash: null } };
}

/** The confirmed deposits in the payment's own token, in base units. */
export function confirmedOf({ arrivals, token }: Pick<DepositDoc, 'arrivals' | 'token'>): bigint {
  return arrivals
    .filter((each) => each.token === token && !isByBalance(each))
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}
