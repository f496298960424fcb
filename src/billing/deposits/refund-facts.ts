import { unknownCase } from '../../../machines/unknown-case.ts';
import type { ReportedFact, StartAnswer } from '../../chains/port.ts';
import { held, refundFellOut, refunding, refundLanded, refundMoved } from '../../model/deposit.ts';
import type { ChargeDoc, DepositArrival, DepositDoc } from '../../store/collections.ts';
import { changeBook } from './book.ts';
import { rulesFor, type SettleDeps, settleDeposits } from './settle.ts';

/** How often a refund without enough balance is requested, because a node may lag; then the deposit is held. */
const ATTEMPTS_MAX = 5;

/** The pause before that, in milliseconds; doubled with each attempt. */
const REST_MS = 30_000;

/** Whether each of these refunds is still needed. A refund that staff have restarted under the same key is not. */
export async function startRefunds(
  { store }: Pick<SettleDeps, 'store'>,
  refunds: readonly ChargeDoc[],
): Promise<[string, StartAnswer][]> {
  if (refunds.length === 0) return [];
  const docs = await store.records.get('deposits', [...new Set(refunds.map(({ paymentId }) => paymentId))]);
  return refunds.map((refund) => {
    const arrivals = docs.find(({ _id }) => _id === refund.paymentId)?.arrivals ?? [];
    return [refund._id, arrivals.some((arrival) => isOnItsWay(arrival, refund)) ? 'go' : 'withdrawn'];
  });
}

/** Stores a fact about a refund. Resolves when it is durable. Idempotent. */
export async function notifyRefund(deps: SettleDeps, { charge, fact }: ReportedFact): Promise<void> {
  if (fact.kind === 'mined' || fact.kind === 'released' || fact.kind === 'finalized') return;
  const book = { records: deps.store.records, clock: deps.clock };
  await changeBook(book, charge.paymentId, (doc) => {
    const index = doc.arrivals.findIndex(({ refund }) => refund?.key === charge.key);
    const before = doc.arrivals[index];
    if (before === undefined) return null;
    const after = afterFact(deps, doc, before, { charge, fact });
    return after === before ? null : { arrivals: doc.arrivals.with(index, after) };
  });
  const [payment] = await deps.store.actors.load('payment', [charge.paymentId]);
  if (payment) await settleDeposits(deps, payment);
}

function afterFact(
  deps: SettleDeps,
  doc: DepositDoc,
  arrival: DepositArrival,
  { charge, fact }: ReportedFact,
): DepositArrival {
  switch (fact.kind) {
    case 'final':
      return refundLanded(arrival, fact.hashes.pullTxHash, charge.gross);
    case 'moved':
      return refundMoved(arrival, fact.hashes.pullTxHash);
    case 'reorged':
      return refundFellOut(arrival);
    case 'refused':
      if (!isOnItsWay(arrival, charge)) return arrival;
      return charge.attempt < ATTEMPTS_MAX && fact.reason === 'insufficient_balance'
        ? refunding(arrival, arrival.refund?.to ?? '', again(deps, doc, charge))
        : held(arrival, 'refund_refused');
    case 'undeliverable':
      return isOnItsWay(arrival, charge) ? held(arrival, 'refund_refused') : arrival;
    case 'mined':
    case 'released':
    case 'finalized':
      return arrival;
    default:
      return unknownCase(fact, 'fact');
  }
}

function again(deps: SettleDeps, doc: DepositDoc, { attempt }: ChargeDoc) {
  const rest = REST_MS * 2 ** (attempt - 1);
  return rulesFor(deps, doc, new Date(deps.clock().getTime() + rest));
}

function isOnItsWay({ fate, refund }: DepositArrival, { key, attempt }: ChargeDoc): boolean {
  return fate === 'refunding' && refund?.key === key && refund.attempt === attempt;
}
