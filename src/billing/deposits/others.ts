import { unknownCase } from '../../../machines/unknown-case.ts';
import { isNativeCoin } from '../../chains/charges.ts';
import type { DepositState, OtherMoney, OtherToken, ReportedFact, StartAnswer } from '../../chains/port.ts';
import { held, isByBalance, refundFellOut, refunding, refundLanded, refundMoved } from '../../model/deposit.ts';
import type { ChargeDoc, DepositArrival, DepositDoc } from '../../store/collections.ts';
import { derivedId } from '../../store/ids.ts';
import { type BookDeps, changeBook, rulesFor, type SettleDeps, settleDeposits } from './settle.ts';

/** The most tokens outside of the catalog that are tracked at an address, because anybody can create more. */
const OTHERS_MAX = 20;

/**
 * Adds the other tokens at an address to a payment's deposits: one held entry per token, whose amount follows the
 * balance until it is sent. If the chain does not say which tokens are there, the known entries stay.
 */
export function withOthers(
  doc: Pick<DepositDoc, 'chainId' | 'address' | 'createdAt'>,
  arrivals: readonly DepositArrival[],
  { others, otherTokens }: Pick<DepositState, 'others' | 'otherTokens'>,
): DepositArrival[] {
  const known = new Set(arrivals.filter(isByBalance).map(({ token }) => token));
  return [
    ...arrivals.flatMap((arrival): DepositArrival[] => {
      if (!isByBalance(arrival) || arrival.fate === 'refunding') return [arrival];
      const other = others.find(({ token }) => token === arrival.token);
      const isUnknown = other === undefined && otherTokens === 'unknown' && arrival.held !== 'unread';
      return isUnknown ? [arrival] : following(arrival, other);
    }),
    ...takenUp(others, known).map((other) => otherArrival(doc, other)),
  ];
}

/**
 * The new entries. Anybody can create tokens, so their number is limited; the native coin and catalog tokens are not.
 */
function takenUp(others: readonly OtherMoney[], known: ReadonlySet<string>): OtherMoney[] {
  const fresh = others.filter(({ token }) => !known.has(token));
  const isStrange = ({ token, why }: OtherMoney) => why === 'not_in_catalog' && !isNativeCoin(token);
  const free = Math.max(0, OTHERS_MAX - known.size);
  return [...fresh.filter((other) => !isStrange(other)), ...fresh.filter(isStrange).slice(0, free)];
}

/** Updates an entry to the present balance. Removes it if the balance is zero and nothing of it was ever sent. */
function following(arrival: DepositArrival, other: OtherMoney | undefined): DepositArrival[] {
  const sent = BigInt(arrival.refunded);
  const now: DepositArrival = { ...arrival, amount: String(sent + (other?.amount ?? 0n)) };
  if (other !== undefined) return [held(now, arrival.held === 'refund_refused' ? arrival.held : other.why)];
  return sent > 0n ? [{ ...now, fate: 'refunded', held: null }] : [];
}

/** Stores tokens outside of the catalog that a log shows to arrive at deposit addresses. */
export async function noteOthers(deps: BookDeps, chainId: number, others: readonly OtherToken[]): Promise<void> {
  if (others.length === 0) return;
  const wallets = [...new Set(others.map(({ wallet }) => wallet))];
  const where = { chainId, wallet: { in: wallets }, operator: null };
  const watches = await deps.records.find('watches', { where, limit: wallets.length });
  for (const { _id, wallet } of watches) {
    const tokens = others.flatMap((other) => (other.wallet === wallet ? [other.token] : []));
    await changeBook(deps, _id, ({ others: known = [] }) => {
      const all = [...new Set([...known, ...tokens])].slice(0, OTHERS_MAX);
      return all.length === known.length ? null : { others: all };
    });
  }
}

function otherArrival(
  { chainId, address, createdAt }: Pick<DepositDoc, 'chainId' | 'address' | 'createdAt'>,
  { token, amount, why, block }: OtherMoney,
): DepositArrival {
  return {
    id: derivedId('dep', createdAt, `${chainId}:${address}:${token}`),
    txHash: null,
    index: 0,
    token,
    from: null,
    amount: amount.toString(),
    block: { number: block, hash: '' },
    charged: '0',
    refunded: '0',
    fate: 'held',
    held: why,
    refund: null,
  };
}

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
