import { addDays } from '../../machines/rules/period.ts';
import { subscriptionEvent } from '../../machines/subscription/events.ts';
import { subscriptionMachine } from '../../machines/subscription.ts';
import type { EventOf } from '../../machines/versions.ts';
import { describeStateTable } from './support/state-table.ts';
import {
  active,
  CANCEL,
  CANCEL_AT_END,
  COVERED,
  charging,
  dunned,
  MONTHLY,
  NO_WALLET,
  PAUSE,
  pastDue,
  READY,
  REORGED,
  RESUME,
  RETRY,
  renewing,
  retrying,
  START,
  TestSubscription,
  UNCOVERED,
} from './support/subscription.ts';

/** All events for the current state: messages are about the open attempt. */
function events(to: TestSubscription): Record<string, EventOf<'subscription'>> {
  const due = { type: 'cycle.due', asked: false } as const;
  return {
    'actor.created': { type: 'actor.created', input: {} },
    'cycle.due': { ...due, charge: READY },
    'cycle.due, not ready': { ...due, charge: NO_WALLET },
    'cycle.due, asked': { ...due, asked: true, charge: READY },
    'cycle.due, asked, not ready': { ...due, asked: true, charge: NO_WALLET },
    'allowance.seen': COVERED,
    'allowance.seen, uncovered': UNCOVERED,
    'risk.due': { type: 'risk.due' },
    'risk.seen': { ...COVERED, type: 'risk.seen' },
    'risk.seen, short': { ...UNCOVERED, type: 'risk.seen' },
    'deferral.lifted': { type: 'deferral.lifted', why: 'no_payout_wallet' },
    'payer.linked': { type: 'payer.linked', wallet: '0xother' },
    'payer.authorized': { type: 'payer.authorized', wallet: '0xother' },
    'payer.authorized, the same': { type: 'payer.authorized', wallet: '0xpayer' },
    'cancel.requested': CANCEL,
    'cancel.requested, at period end': CANCEL_AT_END,
    'retry.requested': RETRY,
    'retry.requested, not ready': { ...RETRY, charge: NO_WALLET },
    'resume.requested': RESUME,
    'pause.requested': PAUSE,
    'quantity.requested': { type: 'quantity.requested', quantity: 5 },
    'discount.requested': { type: 'discount.requested', discount: null },
    'usage.seen': { type: 'usage.seen', used: 90 },
    'variables.replaced': { type: 'variables.replaced', customVariables: { seats: 3 } },
    'migration.requested': { type: 'migration.requested', terms: MONTHLY, expiresAt: START },
    'migration.requested, at once': { type: 'migration.requested', terms: MONTHLY, expiresAt: START, when: 'now' },
    'migration_cancel.requested': { type: 'migration_cancel.requested' },
    'migration.signed': { type: 'migration.signed', wallet: '0xpayer' },
    'migration.seen': { type: 'migration.seen', covers: true },
    'clock.moved': { type: 'clock.moved', clockOffsetMs: 1_000 },
    'failure.forced': { type: 'failure.forced', reason: 'insufficient_balance' },
    'charge.pulled': { type: 'charge.pulled', ...to.attempt },
    'charge.settled': { type: 'charge.settled', ...to.attempt },
    'charge.failed': { type: 'charge.failed', ...to.attempt, reason: 'pull_reverted' },
    'charge.withdrawn': { type: 'charge.withdrawn', ...to.attempt },
    'charge.reorged': { ...REORGED, attempt: to.attempt.attempt },
    'charge.blocked': { type: 'charge.blocked', ...to.attempt, reason: 'undeliverable' },
    'charge.refunded': { type: 'charge.refunded', ...to.attempt, refundId: 'ref_1' },
  };
}

function inTrial(): TestSubscription {
  return new TestSubscription({ trialDays: 14 }).goes(COVERED);
}

/** The last check before its renewal is pending. */
function checkedAhead(): TestSubscription {
  const made = active();
  for (let looks = 0; looks < 3; looks += 1) made.checksAhead();
  return made;
}

/** A check has found the allowance short. */
function atRisk(): TestSubscription {
  const made = checkedAhead();
  made.send({ ...UNCOVERED, type: 'risk.seen' });
  return made;
}

function canceled(made: TestSubscription): TestSubscription {
  made.send(CANCEL);
  return made;
}

/** At the time at which it falls due. */
function due(made: TestSubscription): TestSubscription {
  return made.at(made.due);
}

/** Six hours before it falls due. */
function early(made: TestSubscription): TestSubscription {
  return made.at(addDays(made.due ?? '', -0.25));
}

describeStateTable({
  kind: 'subscription',
  machine: subscriptionMachine,
  eventTypes: subscriptionEvent.options,
  events,
  cases: {
    'pending.waiting, new': () => new TestSubscription(),
    'pending.waiting, without a wallet': () => new TestSubscription({ payerWallet: null }),
    'pending.waiting, in a trial, due': () => due(inTrial()),
    'pending.waiting, in a trial, early': () => early(inTrial()),
    'pending.charging': () => charging(),
    'pending.dunning, due': () => due(dunned()),
    'pending.dunning, early': () => early(dunned()),
    'active.waiting, due': () => due(active()),
    'active.waiting, early': () => early(active()),
    'active.waiting, with a check of its risk pending': () => early(checkedAhead()),
    'active.waiting, at risk': () => early(atRisk()),
    'active.paused, due': () => due(active().goes({ ...PAUSE, until: addDays(START, 5) })),
    'active.charging': renewing,
    'past_due.waiting, due': () => due(pastDue()),
    'past_due.waiting, early': () => early(pastDue()),
    'past_due.charging': retrying,
    'canceled.closing, the first charge': () => canceled(charging()),
    'canceled.closing, a renewal': () => canceled(renewing()),
    'canceled.closed': () => canceled(active()),
  },
});
