import type { DepositArrival, DepositDoc, HeldWhy } from '../../store/collections.ts';

/** How a payment stands for what has been sent for it: `open` while it may still be charged from there. */
export type PaymentStanding = 'open' | 'settled' | 'ended';

export interface AllocationRules {
  /** The least amount of a token that is sent back by itself, base units. */
  readonly costOf: (token: string) => bigint;
  /** The key of the refund of an arrival; of a further one, where the first has been made, another one. */
  readonly keyOf: (arrivalId: string, round: number) => string;
  /** Real time before which nothing is sent back. */
  readonly notBefore: Date;
}

/**
 * What becomes of everything at a deposit address (docs/rules.md, "Payments": `wallet_transfer`). The charge takes its amount
 * from what arrived first; what is left goes to the refund wallet, else to whoever has signed for it, else it is held. What
 * has been held before stays held: staff take care of it. Pure, and the same again for its own outcome.
 */
export function allocate(
  doc: DepositDoc,
  standing: PaymentStanding,
  rules: AllocationRules,
): readonly DepositArrival[] {
  if (standing === 'open') return doc.arrivals;
  const charged = chargedParts(doc, standing === 'settled' ? BigInt(doc.due) : 0n);
  return doc.arrivals.map((arrival, index) => decided(doc, arrival, charged[index] ?? 0n, rules));
}

/** Base units of an arrival that lie at the address, on their way back or not. */
export function leftOf({ amount, charged, refunded }: DepositArrival): bigint {
  return BigInt(amount) - BigInt(charged) - BigInt(refunded);
}

/** Whether nothing but the balance of the address says that it is there. Such money counts for no payment: staff take care of it. */
export function isByBalance({ txHash }: Pick<DepositArrival, 'txHash'>): boolean {
  return txHash === null;
}

/** How much of each arrival the charge has taken: as noted before, and the rest from the first that have something left. */
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
  if (now.fate === 'held') return now;
  if (isByBalance(now)) return held(now, 'not_in_catalog');
  const to = doc.refundWallet ?? (now.isOwn ? now.from : null);
  if (to === null) return held(now, 'no_refund_wallet');
  return left < rules.costOf(now.token) ? held(now, 'below_cost') : refunding(now, to, rules);
}

/** Kept at the deposit address until staff send it. */
export function held(arrival: DepositArrival, why: HeldWhy): DepositArrival {
  return { ...arrival, fate: 'held', held: why };
}

/** All that is left of it is on its way to `to`. A refund that was refused is asked for again under its own key. */
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

/** Its refund has landed for good: `amount` base units, as the chain says. */
export function refundLanded(arrival: DepositArrival, txHash: string, amount: string): DepositArrival {
  const { refund } = arrival;
  if (refund === null || refund.txHash !== null) return arrival;
  const refunded = (BigInt(arrival.refunded) + BigInt(amount)).toString();
  const now: DepositArrival = { ...arrival, refunded, refund: { ...refund, amount, txHash } };
  return { ...now, fate: leftOf(now) === 0n ? 'refunded' : 'open', held: null };
}

/** Its refund had landed, was reorged out and never can again: it is to be made once more, under its own key. */
export function refundFellOut(arrival: DepositArrival): DepositArrival {
  const { refund } = arrival;
  if (refund === null || refund.txHash === null) return arrival;
  const refunded = (BigInt(arrival.refunded) - BigInt(refund.amount)).toString();
  return { ...arrival, refunded, fate: 'open', refund: { ...refund, txHash: null } };
}
