import { addDays } from '../../machines/rules/period.ts';
import { subscriptionEvent } from '../../machines/subscription/events.ts';
import { subscriptionMachine } from '../../machines/subscription.ts';
import type { EventOf } from '../../machines/versions.ts';
import { leavesOf } from './support/nodes.ts';
import {
  active,
  CANCEL,
  CANCEL_AT_END,
  COVERED,
  charging,
  dunned,
  MONTHLY,
  NO_WALLET,
  pastDue,
  READY,
  RESUME,
  RETRY,
  START,
  TestSubscription,
  UNCOVERED,
} from './support/subscription.ts';

type Reported = EventOf<'subscription'>;

const FIRST_PERIOD = { periodStart: START, periodEnd: '2026-02-28T10:00:00.000Z' };

/** All events for the current state: messages are about the open attempt. */
function said(to: TestSubscription): Record<string, Reported> {
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
    'variables.replaced': { type: 'variables.replaced', customVariables: { seats: 3 } },
    'migration.requested': { type: 'migration.requested', terms: MONTHLY, expiresAt: START },
    'migration.signed': { type: 'migration.signed', wallet: '0xpayer' },
    'migration.seen': { type: 'migration.seen', covers: true },
    'clock.moved': { type: 'clock.moved', clockOffsetMs: 1_000 },
    'failure.forced': { type: 'failure.forced', reason: 'insufficient_balance' },
    'charge.pulled': { type: 'charge.pulled', ...to.attempt },
    'charge.settled': { type: 'charge.settled', ...to.attempt },
    'charge.failed': { type: 'charge.failed', ...to.attempt, reason: 'pull_reverted' },
    'charge.withdrawn': { type: 'charge.withdrawn', ...to.attempt },
    'charge.reorged': { type: 'charge.reorged', ...to.attempt, cycle: 1, ...FIRST_PERIOD },
    'charge.blocked': { type: 'charge.blocked', ...to.attempt, reason: 'undeliverable' },
  };
}

/** Events that change nothing in any state. */
function always(place: string) {
  return { 'variables.replaced': place };
}

/** Messages about an attempt that is not in flight. */
function late(place: string) {
  return {
    'charge.pulled': place,
    'charge.settled': place,
    'charge.failed': place,
    'charge.withdrawn': place,
    'charge.reorged': place,
    'charge.blocked': place,
  };
}

function whileLive(place: string) {
  return {
    ...always(place),
    'clock.moved': place,
    'failure.forced': place,
    'allowance.seen, uncovered': place,
    'payer.authorized': `${place}: watch`,
    'payer.authorized, the same': place,
    'migration.requested': `${place}: watch migration`,
  };
}

const CANCELED = 'canceled.closed: subscription.canceled, unwatch any';

interface Case {
  readonly place: string;
  readonly make: () => TestSubscription;
  /** The time of the event relative to the wait of the case. */
  readonly when: 'unawaited' | 'due' | 'early';
  /** The accepted events, with their target states and effects. All others are refused. */
  readonly takes: Readonly<Record<string, string>>;
}

function inTrial(): TestSubscription {
  const made = new TestSubscription({ trialDays: 14 });
  made.send(COVERED);
  return made;
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

function renewing(): TestSubscription {
  const made = active();
  made.falls();
  return made;
}

function retrying(): TestSubscription {
  const made = pastDue();
  made.falls();
  return made;
}

function closing(): TestSubscription {
  const made = renewing();
  made.send(CANCEL);
  return made;
}

function closingFirst(): TestSubscription {
  const made = charging();
  made.send(CANCEL);
  return made;
}

function closed(): TestSubscription {
  const made = active();
  made.send(CANCEL);
  return made;
}

const FIRST_OPENED = 'pending.charging: open 1.1';
const FIRST_RETRIED = 'pending.charging: open 1.2, unwatch';
const RENEWAL_RETRIED = 'past_due.charging: open 2.2, unwatch';
const DUNNING_ENDS = 'canceled.closed: withdraw 1, subscription.canceled, unwatch any';
const PAST_DUE_ENDS = 'canceled.closed: withdraw 2, subscription.canceled, unwatch any';

const CASES: readonly Case[] = [
  {
    place: 'pending.waiting',
    make: () => new TestSubscription(),
    when: 'unawaited',
    takes: {
      ...always('pending.waiting'),
      ...late('pending.waiting'),
      'actor.created': 'pending.waiting: subscription.created, watch',
      'allowance.seen': 'pending.waiting: unwatch',
      'cancel.requested': CANCELED,
      'cancel.requested, at period end': CANCELED,
      'resume.requested': 'pending.waiting',
      'payer.authorized': 'pending.waiting: watch',
      'payer.authorized, the same': 'pending.waiting',
      'clock.moved': 'pending.waiting',
      'failure.forced': 'pending.waiting',
      'migration.requested': 'pending.waiting: watch migration',
    },
  },
  {
    place: 'pending.waiting',
    make: () => new TestSubscription({ payerWallet: null }),
    when: 'unawaited',
    takes: {
      ...always('pending.waiting'),
      ...late('pending.waiting'),
      'actor.created': 'pending.waiting: subscription.created, watch',
      'payer.linked': 'pending.waiting: watch',
      'cancel.requested': CANCELED,
      'cancel.requested, at period end': CANCELED,
      'resume.requested': 'pending.waiting',
      'payer.authorized': 'pending.waiting: watch',
      'payer.authorized, the same': 'pending.waiting: watch',
      'clock.moved': 'pending.waiting',
      'failure.forced': 'pending.waiting',
      'migration.requested': 'pending.waiting: watch migration',
    },
  },
  {
    place: 'pending.waiting',
    make: inTrial,
    when: 'due',
    takes: {
      ...whileLive('pending.waiting'),
      'risk.due': 'pending.waiting: watch risk',
      ...late('pending.waiting'),
      'actor.created': 'pending.waiting: subscription.created, watch',
      'cycle.due': FIRST_OPENED,
      'cycle.due, asked': FIRST_OPENED,
      'cycle.due, not ready': 'pending.waiting: subscription.blocked/no_payout_wallet',
      'cycle.due, asked, not ready': 'pending.waiting: subscription.blocked/no_payout_wallet',
      'cancel.requested': CANCELED,
      'cancel.requested, at period end': CANCELED,
      'resume.requested': 'pending.waiting',
    },
  },
  {
    place: 'pending.waiting',
    make: inTrial,
    when: 'early',
    takes: {
      ...whileLive('pending.waiting'),
      'risk.due': 'pending.waiting: watch risk',
      ...late('pending.waiting'),
      'actor.created': 'pending.waiting: subscription.created, watch',
      'cycle.due, asked': FIRST_OPENED,
      'cancel.requested': CANCELED,
      'cancel.requested, at period end': 'pending.waiting',
      'resume.requested': 'pending.waiting',
    },
  },
  {
    place: 'pending.charging',
    make: charging,
    when: 'unawaited',
    takes: {
      ...whileLive('pending.charging'),
      'cancel.requested': 'canceled.closing: subscription.canceled, withdraw 1, unwatch any',
      'cancel.requested, at period end': 'canceled.closing: subscription.canceled, withdraw 1, unwatch any',
      'resume.requested': 'pending.charging',
      'charge.pulled': 'pending.charging: payment.pulled',
      'charge.settled': 'active.waiting: payment.succeeded, subscription.active, count unit',
      'charge.failed': 'pending.dunning: schedule 1 2026-02-01, payment.failed/pull_reverted, watch, free unit',
      'charge.withdrawn': 'pending.charging',
      'charge.blocked': 'pending.charging: subscription.blocked/undeliverable',
      'charge.reorged': 'pending.charging',
    },
  },
  {
    place: 'pending.dunning',
    make: dunned,
    when: 'due',
    takes: {
      ...whileLive('pending.dunning'),
      ...late('pending.dunning'),
      'charge.settled': 'active.waiting: payment.succeeded, subscription.active, count late unit, unwatch',
      'cycle.due': FIRST_RETRIED,
      'cycle.due, asked': FIRST_RETRIED,
      'cycle.due, not ready': 'pending.dunning: subscription.blocked/no_payout_wallet',
      'cycle.due, asked, not ready': 'pending.dunning: subscription.blocked/no_payout_wallet',
      'retry.requested': FIRST_RETRIED,
      'resume.requested': 'pending.dunning',
      'cancel.requested': DUNNING_ENDS,
      'cancel.requested, at period end': DUNNING_ENDS,
    },
  },
  {
    place: 'pending.dunning',
    make: dunned,
    when: 'early',
    takes: {
      ...whileLive('pending.dunning'),
      ...late('pending.dunning'),
      'charge.settled': 'active.waiting: payment.succeeded, subscription.active, count late unit, unwatch',
      'allowance.seen': 'pending.dunning',
      'cycle.due, asked': FIRST_RETRIED,
      'retry.requested': FIRST_RETRIED,
      'resume.requested': 'pending.dunning',
      'cancel.requested': DUNNING_ENDS,
      'cancel.requested, at period end': DUNNING_ENDS,
    },
  },
  {
    place: 'active.waiting',
    make: active,
    when: 'due',
    takes: {
      ...whileLive('active.waiting'),
      'risk.due': 'active.waiting: watch risk',
      ...late('active.waiting'),
      'charge.reorged':
        'past_due.waiting: payment.failed/pull_reverted, subscription.past_due, schedule 1 2026-03-01, watch',
      'cycle.due': 'active.charging: open 2.1',
      'cycle.due, asked': 'active.charging: open 2.1',
      'cycle.due, not ready': 'active.waiting: subscription.blocked/no_payout_wallet',
      'cycle.due, asked, not ready': 'active.waiting: subscription.blocked/no_payout_wallet',
      'cancel.requested': CANCELED,
      'cancel.requested, at period end': CANCELED,
    },
  },
  {
    place: 'active.waiting',
    make: active,
    when: 'early',
    takes: {
      ...whileLive('active.waiting'),
      'risk.due': 'active.waiting: watch risk',
      ...late('active.waiting'),
      'charge.reorged':
        'past_due.waiting: payment.failed/pull_reverted, subscription.past_due, schedule 1 2026-03-01, watch',
      'cycle.due, asked': 'active.charging: open 2.1',
      'cancel.requested': CANCELED,
      'cancel.requested, at period end': 'active.waiting',
    },
  },
  {
    place: 'active.waiting',
    make: checkedAhead,
    when: 'early',
    takes: {
      ...whileLive('active.waiting'),
      ...late('active.waiting'),
      'risk.seen': 'active.waiting: unwatch risk',
      'risk.seen, short': 'active.waiting: subscription.at_risk/insufficient_allowance',
      'charge.reorged':
        'past_due.waiting: unwatch risk, payment.failed/pull_reverted, subscription.past_due, schedule 1 2026-03-01, watch',
      'cycle.due, asked': 'active.charging: unwatch risk, open 2.1',
      'cancel.requested': CANCELED,
      'cancel.requested, at period end': 'active.waiting',
    },
  },
  {
    place: 'active.waiting',
    make: atRisk,
    when: 'early',
    takes: {
      ...always('active.waiting'),
      'clock.moved': 'active.waiting',
      'failure.forced': 'active.waiting',
      'payer.authorized': 'active.waiting: watch',
      'payer.authorized, the same': 'active.waiting',
      'migration.requested': 'active.waiting: watch migration',
      ...late('active.waiting'),
      'allowance.seen': 'active.waiting: unwatch risk',
      'charge.reorged':
        'past_due.waiting: unwatch risk, payment.failed/pull_reverted, subscription.past_due, schedule 1 2026-03-01, watch',
      'cycle.due, asked': 'active.charging: unwatch risk, open 2.1',
      'cancel.requested': CANCELED,
      'cancel.requested, at period end': 'active.waiting',
    },
  },
  {
    place: 'active.charging',
    make: renewing,
    when: 'unawaited',
    takes: {
      ...whileLive('active.charging'),
      'cancel.requested': 'canceled.closing: subscription.canceled, withdraw 2, unwatch any',
      'cancel.requested, at period end': 'canceled.closing: subscription.canceled, withdraw 2, unwatch any',
      'charge.pulled': 'active.charging: payment.pulled',
      'charge.settled': 'active.waiting: payment.succeeded',
      'charge.failed':
        'past_due.waiting: schedule 2 2026-03-01, payment.failed/pull_reverted, subscription.past_due, watch',
      'charge.withdrawn': 'active.charging',
      'charge.blocked': 'active.charging: subscription.blocked/undeliverable',
      'charge.reorged': 'active.charging: payment.failed/pull_reverted',
    },
  },
  {
    place: 'past_due.waiting',
    make: pastDue,
    when: 'due',
    takes: {
      ...whileLive('past_due.waiting'),
      ...late('past_due.waiting'),
      'charge.settled': 'active.waiting: payment.succeeded, subscription.recovered, unwatch',
      'charge.reorged': 'past_due.waiting: payment.failed/pull_reverted',
      'cycle.due': RENEWAL_RETRIED,
      'cycle.due, asked': RENEWAL_RETRIED,
      'cycle.due, not ready': 'past_due.waiting: subscription.blocked/no_payout_wallet',
      'cycle.due, asked, not ready': 'past_due.waiting: subscription.blocked/no_payout_wallet',
      'retry.requested': RENEWAL_RETRIED,
      'resume.requested': 'past_due.waiting',
      'cancel.requested': PAST_DUE_ENDS,
      'cancel.requested, at period end': PAST_DUE_ENDS,
    },
  },
  {
    place: 'past_due.waiting',
    make: pastDue,
    when: 'early',
    takes: {
      ...whileLive('past_due.waiting'),
      ...late('past_due.waiting'),
      'charge.settled': 'active.waiting: payment.succeeded, subscription.recovered, unwatch',
      'charge.reorged': 'past_due.waiting: payment.failed/pull_reverted',
      'allowance.seen': 'past_due.waiting',
      'cycle.due, asked': RENEWAL_RETRIED,
      'retry.requested': RENEWAL_RETRIED,
      'resume.requested': 'past_due.waiting',
      'cancel.requested': PAST_DUE_ENDS,
      'cancel.requested, at period end': PAST_DUE_ENDS,
    },
  },
  {
    place: 'past_due.charging',
    make: retrying,
    when: 'unawaited',
    takes: {
      ...whileLive('past_due.charging'),
      'cancel.requested': 'canceled.closing: subscription.canceled, withdraw 2, unwatch any',
      'cancel.requested, at period end': 'canceled.closing: subscription.canceled, withdraw 2, unwatch any',
      'resume.requested': 'past_due.charging',
      'charge.pulled': 'past_due.charging: payment.pulled',
      'charge.settled': 'active.waiting: payment.succeeded, subscription.recovered',
      'charge.failed': 'past_due.waiting: schedule 2 2026-03-03, payment.failed/pull_reverted, watch',
      'charge.withdrawn': 'past_due.charging',
      'charge.blocked': 'past_due.charging: subscription.blocked/undeliverable',
      'charge.reorged': 'past_due.charging: payment.failed/pull_reverted',
    },
  },
  {
    place: 'canceled.closing',
    make: closingFirst,
    when: 'unawaited',
    takes: {
      ...always('canceled.closing'),
      'charge.blocked': 'canceled.closing',
      'charge.pulled': 'canceled.closing: payment.pulled',
      'charge.settled': 'canceled.closed: payment.succeeded, count unit',
      'charge.failed': 'canceled.closed: payment.failed/pull_reverted, free unit',
      'charge.withdrawn': 'canceled.closed: free unit',
      'charge.reorged': 'canceled.closing',
    },
  },
  {
    place: 'canceled.closing',
    make: closing,
    when: 'unawaited',
    takes: {
      ...always('canceled.closing'),
      'charge.blocked': 'canceled.closing',
      'charge.pulled': 'canceled.closing: payment.pulled',
      'charge.settled': 'canceled.closed: payment.succeeded',
      'charge.failed': 'canceled.closed: payment.failed/pull_reverted',
      'charge.withdrawn': 'canceled.closed',
      'charge.reorged': 'canceled.closing: payment.failed/pull_reverted',
    },
  },
  {
    place: 'canceled.closed',
    make: closed,
    when: 'unawaited',
    takes: {
      ...always('canceled.closed'),
      ...late('canceled.closed'),
      'charge.reorged': 'canceled.closed: payment.failed/pull_reverted',
    },
  },
];

/** The case's subscription at the case's time. */
function standing({ make, when }: Case): TestSubscription {
  const made = make();
  const { due } = made;
  if (when === 'unawaited') {
    expect(made.context.wakeAt).toBeNull();
    return made;
  }
  return made.at(when === 'early' && due !== null ? addDays(due, -0.25) : due);
}

describe('a subscription with every event in every state', () => {
  it('has a case for each of its states and events', () => {
    expect([...new Set(CASES.map(({ place }) => place))].sort()).toEqual(leavesOf(subscriptionMachine).sort());
    const types = new Set(Object.values(said(active())).map(({ type }) => type));
    expect([...types].sort()).toEqual(subscriptionEvent.options.map(({ shape }) => shape.type.value).sort());
  });

  describe.each(CASES.map((each, index) => ({ ...each, index })))('in $place, $when (case $index)', (each) => {
    it('is in that state', () => {
      expect(standing(each).place).toBe(each.place);
    });

    it.each(Object.keys(said(active())))('reaches the state of the table on %s', (name) => {
      const made = standing(each);
      const event = said(made)[name];
      expect(event && made.outcomeOf(event)).toBe(each.takes[name] ?? null);
    });
  });
});
