import { deliveryContext } from '../../../machines/delivery/context.ts';
import type { DeliveryEvent } from '../../../machines/delivery/events.ts';
import { type PaymentContext, paymentContext } from '../../../machines/payment/context.ts';
import type { PaymentEvent } from '../../../machines/payment/events.ts';
import { addDays } from '../../../machines/rules/period.ts';
import { quantityOf } from '../../../machines/rules/price-model.ts';
import { type SubscriptionContext, subscriptionContext } from '../../../machines/subscription/context.ts';
import type { SubscriptionEvent } from '../../../machines/subscription/events.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Untimed } from '../../../machines/versions.ts';
import type { EventVerdict } from '../wire.ts';
import type { Inspected } from './inspected.ts';

/** One event that is possible now, its sender, and the assumption about it. */
interface Sample<F> extends Pick<EventVerdict, 'by' | 'assuming'> {
  /** The event without its type. */
  readonly fields: F;
}

type Samples<E extends { type: string; now: string }> = {
  readonly [T in Exclude<E['type'], 'actor.created'>]: readonly Sample<
    Omit<Untimed<Extract<E, { type: T }>>, 'type'>
  >[];
};

function sentBy(by: EventVerdict['by']) {
  return <const F extends object>(fields: F, assuming: string | null = null): Sample<F> => ({ by, assuming, fields });
}

const people = sentBy('people');
const payer = sentBy('payer');
const clock = sentBy('clock');
const chain = sentBy('chain');
const engine = sentBy('engine');
const sandbox = sentBy('sandbox');

const READY = { ready: true } as const;
const ALL_THERE = 'a charge has everything that it needs; the money is not checked';

/** Every possible event for an actor at a moment of its own clock. */
export function samplesOf(doc: Inspected, now: string) {
  return Object.entries(samplesByType(doc, now)).flatMap(([type, samples]) =>
    samples.map(({ by, assuming, fields }) => ({ by, assuming, event: { type, ...fields } })),
  );
}

function samplesByType({ kind, context }: Inspected, now: string): Readonly<Record<string, readonly Sample<object>[]>> {
  switch (kind) {
    case 'subscription':
      return subscriptionSamples(subscriptionContext.parse(context), now);
    case 'payment':
      return paymentSamples(paymentContext.parse(context), now);
    case 'delivery':
      return deliverySamples(deliveryContext.parse(context).attempt, now);
    default:
      return unknownCase(kind, 'kind');
  }
}

/** About the present cycle. */
function subscriptionSamples(context: SubscriptionContext, now: string): Samples<SubscriptionEvent> {
  const { open, payerWallet, terms, lastCycle, deferred, clockOffsetMs } = context;
  const cycle = open?.number ?? Math.max(1, lastCycle);
  const about = { cycle, attempt: open?.attempt ?? 1, paymentId: 'pay_00000000000000000000000000' };
  const wallet = payerWallet ?? '0x0000000000000000000000000000000000000001';
  const period = { periodStart: now, periodEnd: addDays(now, 1) };
  return {
    'cycle.due': [clock({ asked: false, charge: READY }, ALL_THERE)],
    'deferral.lifted': [engine({ why: deferred?.why ?? 'no_payout_wallet' })],
    'allowance.seen': [
      chain({ covers: true, payable: true }, 'allowance and balance cover the charge'),
      chain({ covers: false, payable: false }, 'the allowance does not cover it'),
    ],
    'risk.due': [clock({})],
    'risk.seen': [chain({ covers: true, payable: true }, 'the coming charge is covered')],
    'payer.linked': [payer({ wallet })],
    'payer.authorized': [payer({ wallet: 'another wallet' }, 'another wallet has signed')],
    'cancel.requested': [
      people({ atPeriodEnd: false, reason: 'requested' }, 'now'),
      people({ atPeriodEnd: true, reason: 'requested' }, 'at the end of the period'),
    ],
    'retry.requested': [people({ charge: READY }, ALL_THERE)],
    'resume.requested': [people({})],
    'pause.requested': [people({ until: null, pausedBy: 'merchant', periodEnd: 'moves' }, 'until it is resumed')],
    'quantity.requested': [people({ quantity: (quantityOf(terms) ?? 0) + 1 }, 'one unit more')],
    'discount.requested': [people({ discount: null }, 'without a discount')],
    'usage.seen': [people({ used: Number.MAX_SAFE_INTEGER }, 'the cap is reached')],
    'variables.replaced': [people({ customVariables: { another: 'value' } })],
    'migration.requested': [
      people({ terms: { ...terms, priceId: 'another' }, expiresAt: addDays(now, 30) }, 'to another price'),
    ],
    'migration_cancel.requested': [people({})],
    'migration.signed': [payer({ wallet })],
    'migration.seen': [chain({ covers: true }, 'the allowance covers the new terms')],
    'clock.moved': [sandbox({ clockOffsetMs: clockOffsetMs + 1 }, 'forward')],
    'failure.forced': [sandbox({ reason: 'insufficient_balance' })],
    'charge.pulled': [chain(about)],
    'charge.settled': [chain(about)],
    'charge.failed': [chain({ ...about, reason: 'insufficient_balance' })],
    'charge.withdrawn': [engine(about)],
    'charge.blocked': [chain({ ...about, reason: 'undeliverable' })],
    'charge.refunded': [chain({ ...about, refundId: 'ref_00000000000000000000000000' })],
    'charge.reorged': [chain({ ...about, cycle: Math.max(1, lastCycle), ...period }, 'the last paid cycle')],
  };
}

/** About the present attempt. */
function paymentSamples(context: PaymentContext, now: string): Samples<PaymentEvent> {
  const { cycleOf, fromWallet, toWallet, deposit, amount } = context;
  const attempt = Math.max(1, context.attempt);
  const round = context.pauses;
  const releases = (context.released?.releases ?? -1) + 1;
  const hashes = { ...context.hashes, pullTxHash: context.hashes.pullTxHash ?? `0x${'0'.repeat(64)}` };
  const block = context.block ?? { number: 1, hash: `0x${'0'.repeat(64)}` };
  const due = deposit?.due ?? amount;
  const paid = { arrived: due, confirmed: due, from: deposit?.address ?? null };
  const nothing = { arrived: '0', confirmed: '0', from: null };
  const period = { periodStart: cycleOf?.periodStart ?? now, periodEnd: cycleOf?.periodEnd ?? addDays(now, 1) };
  return {
    'charge.opened': [
      engine({ attempt: context.attempt + 1, fromWallet, ...period, forcedFailure: null }, 'a further attempt'),
    ],
    'charge.withdrawn': [engine({})],
    'charge.scheduled': [engine({ nextAttemptAt: addDays(now, 1) })],
    'cancel.requested': [people({})],
    'charge.blocked': [engine({ attempt, round, reason: 'no_payout_wallet' })],
    'pause.over': [clock({})],
    'pause.lifted': [engine({}, 'the payout wallet has changed, or somebody requested a retry')],
    'charge.started': [chain({ attempt, round, toWallet })],
    'charge.released': [chain({ attempt, round, releases })],
    'charge.refused': [chain({ attempt, round, reason: 'insufficient_balance' })],
    'charge.undeliverable': [chain({ attempt, round, reason: 'forward_reverted' })],
    'charge.mined': [chain({ attempt, round, releases, hashes, block })],
    'charge.final': [chain({ attempt, hashes, block })],
    'charge.moved': [chain({ attempt, hashes, block })],
    'charge.reorged': [chain({ attempt })],
    'deposit.seen': [chain({ found: paid }, 'the full amount has arrived, with enough confirmations')],
    'deposit.expired': [clock({ found: nothing }, 'nothing has arrived')],
    ...refundSamples(context, now),
  };
}

/** About the last refund; the request is for one base unit. */
function refundSamples({ refunds = [], fromWallet }: PaymentContext, now: string) {
  const last = refunds.at(-1);
  const refundId = last?.id ?? 'ref_00000000000000000000000000';
  const transfer = last?.transfer ?? { transaction: NO_HASH, index: 0, block: { number: 1, hash: NO_HASH } };
  const terms = { id: 'ref_another', idempotencyKey: 'another', requestHash: '', amount: '1', due: '1', key: NO_HASH };
  const refund = { ...terms, receiver: fromWallet ?? '', reason: null, since: null, expiresAt: addDays(now, 7) };
  return {
    'refund.requested': [people({ refund }, 'of one base unit')],
    'refund.canceled': [people({ refundId }, 'the last one')],
    'refund.sent': [chain({ refundId, transfer }, 'the last one')],
    'refund.settled': [chain({ refundId, transfer }, 'the last one')],
    'refund.reorged': [chain({ refundId }, 'the last one')],
    'refund.expired': [clock({})],
  };
}

const NO_HASH = `0x${'0'.repeat(64)}`;

/** About the present attempt. */
function deliverySamples(attempt: number, now: string): Samples<DeliveryEvent> {
  const record = { attempt: Math.max(1, attempt), startedAt: now, durationMs: 0, error: null, body: null };
  return {
    'turn.came': [engine({})],
    'delivery.due': [clock({})],
    'attempt.ended': [
      engine({ outcome: 'delivered', record: { ...record, status: 200 } }, 'the endpoint answered 2xx'),
      engine({ outcome: 'failed', record: { ...record, status: 500 } }, 'the endpoint answered 500'),
    ],
    'redelivery.requested': [people({})],
  };
}
