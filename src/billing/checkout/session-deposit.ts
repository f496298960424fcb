import { confirmedOf, isByBalance, leftOf } from '../../model/deposit.ts';
import { paymentContextOf } from '../../model/payment.ts';
import type { CheckoutSessionDoc, DepositArrival, DepositDoc, HeldWhy } from '../../store/collections.ts';
import type { CheckoutDeps } from './deps.ts';

/** The deposit address and its amounts, in base units of the playing token. */
export interface SessionDeposit {
  /** null: nothing should be sent any more. */
  readonly address: string | null;
  readonly due: bigint;
  readonly arrived: bigint;
  /** The part of it with enough confirmations to count. */
  readonly confirmed: bigint;
  readonly expiresAt: Date;
  /** The receiver of unused money; null: none is named. */
  readonly refundWallet: string | null;
  readonly unused: readonly UnusedMoney[];
}

/** Money that the payment does not use, in base units of one token of the catalog. */
export interface UnusedMoney {
  readonly token: string;
  readonly amount: bigint;
  readonly fate: 'held' | 'refunding' | 'refunded';
  /** Why it is held; null: it is not. */
  readonly held: HeldWhy | null;
  /** The receiver of the refund; null: it is held. */
  readonly to: string | null;
}

/** Checks the deposit address of the session's payment, and returns the amounts there; null: it has none. */
export async function sessionDeposit(
  deps: CheckoutDeps,
  { paymentIds }: CheckoutSessionDoc,
): Promise<SessionDeposit | null> {
  const id = paymentIds.at(-1);
  if (id === undefined) return null;
  await deps.deposits.check([id]);
  const [[payment], [book]] = await Promise.all([
    deps.store.actors.load('payment', [id]),
    deps.store.records.get('deposits', [id]),
  ]);
  const deposit = payment && paymentContextOf(payment).deposit;
  if (!deposit) return null;
  // The payment ignores deposits after its charge.
  const confirmed = book ? confirmedOf(book) : 0n;
  const arrived = BigInt(deposit.arrived) > confirmed ? BigInt(deposit.arrived) : confirmed;
  return {
    address: payment.status === 'pending' ? deposit.address : null,
    due: BigInt(deposit.due),
    arrived,
    confirmed,
    expiresAt: new Date(deposit.expiresAt),
    refundWallet: book?.refundWallet ?? null,
    unused: book ? unusedOf(book) : [],
  };
}

/** One entry per token, outcome and receiver. Staff decide about money that only the balance shows: it is left out. */
function unusedOf({ arrivals }: DepositDoc): UnusedMoney[] {
  const all = new Map<string, UnusedMoney>();
  for (const money of arrivals.filter((arrival) => !isByBalance(arrival)).flatMap(unusedIn)) {
    const name = [money.token, money.fate, money.held, money.to].join();
    all.set(name, { ...money, amount: money.amount + (all.get(name)?.amount ?? 0n) });
  }
  return [...all.values()];
}

function unusedIn(arrival: DepositArrival): UnusedMoney[] {
  const { token, fate, held, refund, refunded } = arrival;
  const to = refund?.to ?? null;
  const sent = BigInt(refunded);
  const left = leftOf(arrival);
  return [
    ...(sent > 0n ? [{ token, amount: sent, fate: 'refunded' as const, held: null, to }] : []),
    ...(fate === 'held' ? [{ token, amount: left, fate, held, to: null }] : []),
    ...(fate === 'refunding' ? [{ token, amount: left, fate, held: null, to }] : []),
  ];
}
