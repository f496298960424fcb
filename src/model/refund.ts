import type { PaymentContext } from '../../machines/payment/context.ts';
import { isSameTransfer, refundsOf } from '../../machines/payment/refunds.ts';
import type { RefundState as Refund, RefundStatus, RefundTransfer } from '../../machines/refund/context.ts';
import type { EventOf } from '../../machines/versions.ts';
import { groupBy } from '../chains/group-by.ts';
import type { FoundRefund, RefundState } from '../chains/port.ts';
import type { ChainFamily } from '../store/collections.ts';
import { comparableAddress } from './addresses.ts';

type RefundsOf = Pick<PaymentContext, 'refunds'>;

/** How long a merchant has to send a refund. A later one counts, too. */
export const REFUND_MS = 7 * 86_400_000;

/** How long the chain is searched for a refund that expired or was given up. */
const SEARCHED_MS = 30 * 86_400_000;

/** A transfer is for the refund that still waits for one; an expired or canceled one has it if no other waits. */
const WANTING: readonly RefundStatus[] = ['requested', 'expired', 'failed'];

const SUFFIX = ':refunds';

export function refundWatchId(paymentId: string): string {
  return `${paymentId}${SUFFIX}`;
}

export function isRefundWatch(id: string): boolean {
  return id.endsWith(SUFFIX);
}

export function paymentOfWatch(id: string): string {
  return id.slice(0, -SUFFIX.length);
}

/** The keys of a payment's refunds, each with the transactions that are known. */
export function refundKeys(payment: RefundsOf) {
  return [...groupBy(refundsOf(payment), ({ key }) => key)].map(([key, refunds]) => ({
    key,
    transactions: refunds.flatMap(({ transfer }) => transfer?.transaction ?? []),
  }));
}

/**
 * What a reading of the chain tells the refunds of a payment. A transfer makes the oldest refund that waits for exactly
 * this amount to this receiver under this key; any other transfer is none of them. Pure; a reading that is repeated
 * tells nothing new.
 */
export function refundEvents(
  payment: RefundsOf,
  { found, gone }: Pick<RefundState, 'found' | 'gone'>,
  family: ChainFamily,
): EventOf<'payment'>[] {
  const refunds = refundsOf(payment);
  const isGone = (made: RefundTransfer | null) => made !== null && gone.some((each) => isSameTransfer(each, made));
  const dropped = refunds.filter(({ transfer }) => isGone(transfer));
  const events: EventOf<'payment'>[] = dropped.map(({ id }) => ({ type: 'refund.reorged', refundId: id }));
  const holding = refunds.filter(({ transfer }) => transfer !== null && !isGone(transfer));
  const taken = new Set(holding.map(({ id }) => id));
  for (const transfer of found) {
    const holder = holding.find((each) => each.transfer !== null && isSameTransfer(each.transfer, transfer));
    if (holder !== undefined) events.push(...progressOf(holder, transfer));
    else {
      const match = wantingOf(refunds, taken).find((refund) => isFor(refund, transfer, family));
      if (match === undefined) continue;
      taken.add(match.id);
      events.push(factOf(match, transfer));
    }
  }
  return events;
}

/**
 * Whether the chain needs no more reading for these refunds: each is settled in a block that is never removed, or ended
 * so long ago that no transfer is expected.
 */
export function isSearchOver(payment: RefundsOf, finalized: number, now: Date): boolean {
  return refundsOf(payment).every(({ status, transfer, requestedAt }) => {
    if (status === 'settled') return transfer !== null && transfer.block.number <= finalized;
    if (status === 'requested' || status === 'sent') return false;
    return now.getTime() - Date.parse(requestedAt) > SEARCHED_MS;
  });
}

/** Whether a transfer is in a block that is not deep enough yet. */
export function isUnderWay(payment: RefundsOf): boolean {
  return refundsOf(payment).some(({ status }) => status === 'sent');
}

/** The refunds without a transfer, in the order in which they get one. */
function wantingOf(refunds: readonly Refund[], taken: ReadonlySet<string>): Refund[] {
  const rank = ({ status, transfer }: Refund) => WANTING.indexOf(transfer === null ? status : 'requested');
  return refunds
    .filter(({ id }) => !taken.has(id))
    .sort((one, other) => rank(one) - rank(other) || (one.requestedAt < other.requestedAt ? -1 : 1));
}

function isFor({ key, receiver, due }: Refund, found: FoundRefund, family: ChainFamily): boolean {
  const isReceiver = comparableAddress(family, receiver) === comparableAddress(family, found.receiver);
  return key === found.key && isReceiver && BigInt(due) === found.amount;
}

/** The transfer of this refund is deeper now, or in another block. */
function progressOf(refund: Refund, found: FoundRefund): EventOf<'payment'>[] {
  const isMoved = refund.transfer?.block.hash !== found.block.hash;
  const isDeeper = refund.status === 'sent' && found.isFinal;
  if (refund.status === 'settled' && isMoved) return [factOf(refund, { ...found, isFinal: true })];
  return isMoved || isDeeper ? [factOf(refund, found)] : [];
}

function factOf({ id: refundId }: Refund, { transaction, index, block, isFinal }: FoundRefund): EventOf<'payment'> {
  const type = isFinal ? 'refund.settled' : 'refund.sent';
  return { type, refundId, transfer: { transaction, index, block } };
}
