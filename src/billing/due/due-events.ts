import type { DepositReading } from '../../../machines/payment/events.ts';
import { isRefundDue } from '../../../machines/payment/refunds.ts';
import { BREAKER_ATTEMPTS, wouldTrip } from '../../../machines/rules/breaker.ts';
import { isOnlyCheckDue } from '../../../machines/subscription/next-charge.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { DueEvent, DueEvents, Objection } from '../../engine/due-batch.ts';
import { actorTime } from '../../engine/projection.ts';
import { isAwaitingDeposit, paymentContextOf } from '../../model/payment.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { DepositWatcher } from '../deposits/deposit-watcher.ts';
import { reserveForDeposits } from '../deposits/units.ts';
import type { BillingDeps } from '../deps.ts';
import { type Readiness, type ReadinessDeps, readinessOf } from '../subscriptions/readiness.ts';

/** The event for each due actor, or an objection; one answer per document, in their order. */
export function dueEventsFor(
  deps: ReadinessDeps & Pick<BillingDeps, 'clock'> & { readonly deposits: Pick<DepositWatcher, 'survey'> },
): DueEvents {
  return async (docs) => {
    const real = deps.clock();
    const runaways = new Set(docs.filter((doc) => isRunaway(doc, real)));
    const checking = new Set(docs.filter((doc) => !runaways.has(doc) && onlyChecks(doc, real)));
    const charging = docs.filter((doc) => doc.kind === 'subscription' && !runaways.has(doc) && !checking.has(doc));
    const awaiting = docs.filter((doc) => doc.kind === 'payment' && isAwaitingDeposit(doc));
    const [readiness, deposits] = await Promise.all([
      readinessOf(deps, charging),
      awaiting.length === 0 ? null : deps.deposits.survey(awaiting.map(({ _id }) => _id)),
    ]);
    const soldOut = await reserveForDeposits(deps.store, readings(deposits));
    const ready = new Map(charging.map((doc, index) => [doc._id, readiness[index]]));
    return docs.map((doc) => {
      if (runaways.has(doc)) return RUNAWAY;
      if (awaiting.includes(doc)) return depositExpired(deposits?.get(doc._id) ?? null, soldOut.has(doc._id));
      return checking.has(doc) ? CHECK_AHEAD : eventOf(doc, ready.get(doc._id));
    });
  };
}

const RUNAWAY: Objection = {
  objection: `${BREAKER_ATTEMPTS} attempts within an hour that nobody had asked for: the next one is not made`,
};

/** A check ahead of the charge: nothing is charged yet, so nothing is read or reserved for it. */
const CHECK_AHEAD: DueEvent = { kind: 'subscription', event: { type: 'risk.due' } };

function depositExpired(found: DepositReading | null, isSoldOut: boolean): DueEvent {
  return { kind: 'payment', event: { type: 'deposit.expired', found, ...(isSoldOut ? { isSoldOut } : {}) } };
}

function readings(deposits: ReadonlyMap<string, DepositReading | null> | null): Map<string, DepositReading> {
  return new Map([...(deposits ?? [])].flatMap(([id, found]) => (found === null ? [] : [[id, found] as const])));
}

function onlyChecks(doc: ActorDoc, real: Date): boolean {
  return doc.kind === 'subscription' && isOnlyCheckDue(subscriptionContextOf(doc), actorTime(real, doc.clockOffsetMs));
}

/** The circuit breaker (docs/rules.md, "Staff"), by the subscription's own clock. */
function isRunaway(doc: ActorDoc, real: Date): boolean {
  return doc.kind === 'subscription' && wouldTrip(subscriptionContextOf(doc).begun, actorTime(real, doc.clockOffsetMs));
}

function eventOf(doc: ActorDoc, charge: Readiness | undefined): DueEvent {
  switch (doc.kind) {
    case 'subscription':
      if (!charge) throw new Error(`${doc._id} has no readiness for its charge`);
      return { kind: 'subscription', event: { type: 'cycle.due', asked: false, charge } };
    case 'payment':
      if (isRefundDue(paymentContextOf(doc))) return { kind: 'payment', event: { type: 'refund.expired' } };
      return { kind: 'payment', event: { type: 'pause.over' } };
    default:
      return unknownCase(doc.kind, 'kind');
  }
}
