import type { DeliveryEvent } from '../../../machines/delivery/events.ts';
import type { PaymentContext } from '../../../machines/payment/context.ts';
import type { PaymentEvent } from '../../../machines/payment/events.ts';
import { addDays } from '../../../machines/rules/period.ts';
import type { SubscriptionContext } from '../../../machines/subscription/context.ts';
import type { SubscriptionEvent } from '../../../machines/subscription/events.ts';
import type { Untimed } from '../../../machines/versions.ts';

/** The senders of events. */
type SentBy = 'people' | 'payer' | 'clock' | 'chain' | 'engine' | 'sandbox';

/** One event that is possible now. */
export interface Sample<E> {
  readonly by: SentBy;
  /** The assumption about it, if one matters. */
  readonly assuming?: string;
  readonly event: E;
}

type Samples<E extends { type: string; now: string }> = {
  readonly [T in Exclude<E['type'], 'actor.created'>]: readonly Sample<Untimed<Extract<E, { type: T }>>>[];
};

const READY = { ready: true } as const;
const ALL_THERE = 'a charge has everything that it needs; the money is not checked';

/** Every possible event for a subscription, about its present cycle. */
export function subscriptionSamples(context: SubscriptionContext, now: string): Samples<SubscriptionEvent> {
  const { open, payerWallet, terms, lastCycle } = context;
  const cycle = open?.number ?? Math.max(1, lastCycle);
  const about = { cycle, attempt: open?.attempt ?? 1, paymentId: 'pay_00000000000000000000000000' };
  const wallet = payerWallet ?? '0x0000000000000000000000000000000000000001';
  const other = 'another wallet';
  const period = { periodStart: now, periodEnd: addDays(now, 1) };
  return {
    'cycle.due': [{ by: 'clock', assuming: ALL_THERE, event: { type: 'cycle.due', asked: false, charge: READY } }],
    'deferral.lifted': [
      { by: 'engine', event: { type: 'deferral.lifted', why: context.deferred?.why ?? 'no_payout_wallet' } },
    ],
    'allowance.seen': [
      {
        by: 'chain',
        assuming: 'allowance and balance cover the charge',
        event: { type: 'allowance.seen', covers: true, payable: true },
      },
      {
        by: 'chain',
        assuming: 'the allowance does not cover it',
        event: { type: 'allowance.seen', covers: false, payable: false },
      },
    ],
    'risk.due': [{ by: 'clock', event: { type: 'risk.due' } }],
    'risk.seen': [
      {
        by: 'chain',
        assuming: 'the coming charge is covered',
        event: { type: 'risk.seen', covers: true, payable: true },
      },
    ],
    'payer.linked': [{ by: 'payer', event: { type: 'payer.linked', wallet } }],
    'payer.authorized': [
      { by: 'payer', assuming: 'another wallet has signed', event: { type: 'payer.authorized', wallet: other } },
    ],
    'cancel.requested': [
      { by: 'people', assuming: 'now', event: { type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' } },
      {
        by: 'people',
        assuming: 'at the end of the period',
        event: { type: 'cancel.requested', atPeriodEnd: true, reason: 'requested' },
      },
    ],
    'retry.requested': [{ by: 'people', assuming: ALL_THERE, event: { type: 'retry.requested', charge: READY } }],
    'resume.requested': [{ by: 'people', event: { type: 'resume.requested' } }],
    'variables.replaced': [
      { by: 'people', event: { type: 'variables.replaced', customVariables: { another: 'value' } } },
    ],
    'migration.requested': [
      {
        by: 'people',
        assuming: 'to another price',
        event: { type: 'migration.requested', terms: { ...terms, priceId: 'another' }, expiresAt: addDays(now, 30) },
      },
    ],
    'migration.signed': [{ by: 'payer', event: { type: 'migration.signed', wallet } }],
    'migration.seen': [
      {
        by: 'chain',
        assuming: 'the allowance covers the new terms',
        event: { type: 'migration.seen', covers: true },
      },
    ],
    'clock.moved': [
      {
        by: 'sandbox',
        assuming: 'forward',
        event: { type: 'clock.moved', clockOffsetMs: context.clockOffsetMs + 1 },
      },
    ],
    'failure.forced': [{ by: 'sandbox', event: { type: 'failure.forced', reason: 'insufficient_balance' } }],
    'charge.pulled': [{ by: 'chain', event: { type: 'charge.pulled', ...about } }],
    'charge.settled': [{ by: 'chain', event: { type: 'charge.settled', ...about } }],
    'charge.failed': [{ by: 'chain', event: { type: 'charge.failed', ...about, reason: 'insufficient_balance' } }],
    'charge.withdrawn': [{ by: 'engine', event: { type: 'charge.withdrawn', ...about } }],
    'charge.blocked': [{ by: 'chain', event: { type: 'charge.blocked', ...about, reason: 'undeliverable' } }],
    'charge.reorged': [
      {
        by: 'chain',
        assuming: 'the last paid cycle',
        event: { type: 'charge.reorged', ...about, cycle: Math.max(1, lastCycle), ...period },
      },
    ],
  };
}

/** Every possible event for a payment, about its present attempt. */
export function paymentSamples(context: PaymentContext, now: string): Samples<PaymentEvent> {
  const attempt = Math.max(1, context.attempt);
  const round = context.pauses;
  const releases = (context.released?.releases ?? -1) + 1;
  const hashes = {
    ...context.hashes,
    pullTxHash: context.hashes.pullTxHash ?? `0x${'0'.repeat(64)}`,
  };
  const block = context.block ?? { number: 1, hash: `0x${'0'.repeat(64)}` };
  const { cycleOf, fromWallet, toWallet, deposit } = context;
  const due = deposit?.due ?? context.amount;
  const paid = { arrived: due, confirmed: due, from: deposit?.address ?? null };
  const nothing = { arrived: '0', confirmed: '0', from: null };
  const period = { periodStart: cycleOf?.periodStart ?? now, periodEnd: cycleOf?.periodEnd ?? addDays(now, 1) };
  return {
    'charge.opened': [
      {
        by: 'engine',
        assuming: 'a further attempt',
        event: { type: 'charge.opened', attempt: context.attempt + 1, fromWallet, ...period, forcedFailure: null },
      },
    ],
    'charge.withdrawn': [{ by: 'engine', event: { type: 'charge.withdrawn' } }],
    'charge.scheduled': [{ by: 'engine', event: { type: 'charge.scheduled', nextAttemptAt: addDays(now, 1) } }],
    'cancel.requested': [{ by: 'people', event: { type: 'cancel.requested' } }],
    'charge.blocked': [{ by: 'engine', event: { type: 'charge.blocked', attempt, round, reason: 'no_payout_wallet' } }],
    'pause.over': [{ by: 'clock', event: { type: 'pause.over' } }],
    'pause.lifted': [
      {
        by: 'engine',
        assuming: 'the payout wallet has changed, or somebody requested a retry',
        event: { type: 'pause.lifted' },
      },
    ],
    'charge.started': [{ by: 'chain', event: { type: 'charge.started', attempt, round, toWallet } }],
    'charge.released': [{ by: 'chain', event: { type: 'charge.released', attempt, round, releases } }],
    'charge.refused': [
      { by: 'chain', event: { type: 'charge.refused', attempt, round, reason: 'insufficient_balance' } },
    ],
    'charge.undeliverable': [
      { by: 'chain', event: { type: 'charge.undeliverable', attempt, round, reason: 'forward_reverted' } },
    ],
    'charge.mined': [{ by: 'chain', event: { type: 'charge.mined', attempt, round, releases, hashes, block } }],
    'charge.final': [{ by: 'chain', event: { type: 'charge.final', attempt, hashes, block } }],
    'charge.moved': [{ by: 'chain', event: { type: 'charge.moved', attempt, hashes, block } }],
    'charge.reorged': [{ by: 'chain', event: { type: 'charge.reorged', attempt } }],
    'deposit.seen': [
      {
        by: 'chain',
        assuming: 'the full amount has arrived, with enough confirmations',
        event: { type: 'deposit.seen', found: paid },
      },
    ],
    'deposit.expired': [
      { by: 'clock', assuming: 'nothing has arrived', event: { type: 'deposit.expired', found: nothing } },
    ],
  };
}

/** Every possible event for a delivery, about its present attempt. */
export function deliverySamples(attempt: number, now: string): Samples<DeliveryEvent> {
  const record = { attempt: Math.max(1, attempt), startedAt: now, durationMs: 0, error: null, body: null };
  return {
    'turn.came': [{ by: 'engine', event: { type: 'turn.came' } }],
    'delivery.due': [{ by: 'clock', event: { type: 'delivery.due' } }],
    'attempt.ended': [
      {
        by: 'engine',
        assuming: 'the endpoint answered 2xx',
        event: { type: 'attempt.ended', outcome: 'delivered', record: { ...record, status: 200 } },
      },
      {
        by: 'engine',
        assuming: 'the endpoint answered 500',
        event: { type: 'attempt.ended', outcome: 'failed', record: { ...record, status: 500 } },
      },
    ],
    'redelivery.requested': [{ by: 'people', event: { type: 'redelivery.requested' } }],
  };
}
