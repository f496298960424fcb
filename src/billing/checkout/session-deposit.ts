import { conflict, invalid, notFound } from '../../errors/fault.ts';
import { isSameAddress } from '../../model/addresses.ts';
import { confirmedOf, isByBalance, leftOf } from '../../model/deposit.ts';
import { paymentContextOf } from '../../model/payment.ts';
import type { CheckoutSessionDoc, DepositArrival, DepositDoc, HeldWhy } from '../../store/collections.ts';
import { changeBook, settleDeposits } from '../deposits/settle.ts';
import { watchAddress } from '../deposits/watch.ts';
import { chainOf, requirePayoutAddress } from '../payout/payout-address.ts';
import type { CheckoutDeps } from './deps.ts';
import { requireTokenOnChain } from './token-on-chain.ts';

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

/** After this number of refused refunds of one deposit, only staff send it again. */
const REFUSED_MAX = 10;

/**
 * Names or corrects the receiver of what the deposit of a session does not use, and requests the refunds of money that
 * is held because there was none, or because the former one refused it. A refund that is on its way keeps its receiver.
 * Anyone who has the session's key may do this (docs/rules.md, "Checkout API"). Throws 400 for an address that money
 * cannot be sent to, and 409 if the session is not paid by transfer or has no deposit address yet.
 */
export async function nameRefundWallet(deps: CheckoutDeps, session: CheckoutSessionDoc, text: string): Promise<void> {
  if (session.wallet !== null) throw conflict('Session is paid from a wallet; a refund wallet needs wallet_transfer');
  const { requested } = requireTokenOnChain(deps, session, session.terms.tokenKey);
  const wallet = await requirePayoutAddress(deps, session, chainOf(requested), text, 'refundWallet');
  const isSame = (other: string | undefined) => other !== undefined && isSameAddress(requested.family, other, wallet);
  const paymentId = session.paymentIds.at(-1) ?? '';
  const { records } = deps.store;
  const book = await changeBook({ records, clock: deps.clock }, paymentId, async (doc) => {
    if (isSame(doc.address)) throw invalid('refundWallet must not be the deposit address itself');
    const isToReopen = (each: DepositArrival) => isRefused(each) && !isSame(each.refund?.to);
    if (isSame(doc.refundWallet ?? undefined) && !doc.arrivals.some(isToReopen)) return null;
    // If this process dies before it requests the refunds, a check of the address does.
    await watchAddress({ records, catalog: deps.catalog, clock: deps.clock }, doc);
    return {
      refundWallet: wallet,
      arrivals: doc.arrivals.map((each) => (isToReopen(each) ? reopened(each) : each)),
    };
  });
  if (book === null) throw conflict('Session has no deposit address; a refund wallet needs one');
  const [payment] = await deps.store.actors.load('payment', [paymentId]);
  if (payment === undefined) throw notFound();
  await settleDeposits(deps, payment);
}

/** The receiver of its refund has refused it. Staff decide about money that only the balance shows. */
function isRefused(arrival: DepositArrival): boolean {
  const { held, refund } = arrival;
  return held === 'refund_refused' && !isByBalance(arrival) && (refund?.attempt ?? 0) < REFUSED_MAX;
}

function reopened(arrival: DepositArrival): DepositArrival {
  return { ...arrival, fate: 'open', held: null };
}
