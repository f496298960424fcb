import { and, assertEvent, assign, not, setup } from 'xstate';
import type { Effect } from './effects.ts';
import { asks, onEventOf } from './implementations.ts';
import {
  awaitDeposit,
  extendDeposit,
  failFor,
  isFundedBy,
  isOvertaken,
  land,
  noteDeposit,
  noteRelease,
  openFirst,
  openFurther,
  pause,
  reorg,
  sellOut,
  takeBack,
  takeDeposit,
  willBeFundedBy,
} from './payment/changes.ts';
import type { PaymentContext } from './payment/context.ts';
import * as effects from './payment/effects.ts';
import type { DepositReading, PaymentEvent } from './payment/events.ts';
import {
  addRefund,
  applyRefund,
  expireRefunds,
  isKnown,
  refundsAfter,
  reverseRefunds,
  takesRefund,
  timed,
  turnsRefund,
} from './payment/refunds.ts';

type Context = PaymentContext;
type Event = PaymentEvent;

const onEvent = onEventOf<Context, Event>();

const REFUND_FACTS = ['refund.sent', 'refund.settled', 'refund.reorged', 'refund.canceled'] as const;

const payment = setup({
  types: {
    context: {} as Context,
    events: {} as Event,
    input: {} as Context,
  },
  actions: {
    effect: (_, _params: Effect) => {},

    acknowledge: assign({}),
    openFirst: assign(({ context }) => openFirst(context)),
    openFurther: assign(onEvent('charge.opened', openFurther)),
    schedule: assign(onEvent('charge.scheduled', (_, event) => ({ nextAttemptAt: event.nextAttemptAt }))),
    unschedule: assign({ nextAttemptAt: null }),
    fixDestination: assign(
      onEvent('charge.started', (context, event) => ({
        toWallet: event.toWallet ?? context.toWallet,
        pausedFor: null,
        wakeAt: null,
      })),
    ),
    land: assign(onEvent(['charge.mined', 'charge.final'], land)),
    move: assign(
      onEvent(['charge.final', 'charge.moved'], (_, event) => ({ hashes: event.hashes, block: event.block })),
    ),
    noteRelease: assign(onEvent('charge.released', (_, event) => noteRelease(event))),
    fail: assign(
      onEvent(['charge.refused', 'charge.undeliverable'], (context, event) => failFor(context, event.reason)),
    ),
    failReorged: assign(({ context, event }) => reorg(context, event.now)),
    failAsForced: assign(({ context }) => failFor(context, context.forcedFailure ?? 'pull_reverted')),
    pause: assign(
      onEvent(['charge.undeliverable', 'charge.blocked'], (context, event) => pause(context, event.now, event.reason)),
    ),
    rest: assign({ wakeAt: null }),
    awaitDeposit: assign(({ context }) => awaitDeposit(context)),
    noteDeposit: assign(({ context, event }) => noteDeposit(context, read(event))),
    sellOut: assign(({ context, event }) => sellOut(context, read(event))),
    takeDeposit: assign(({ context, event }) => takeDeposit(context, read(event))),
    extendDeposit: assign(
      onEvent('deposit.expired', (context, event) => extendDeposit(context, event.now, event.found)),
    ),
    failUnpaid: assign(({ context, event }) => failFor(noteDeposit(context, read(event)), 'insufficient_balance')),
    takeBack: assign(({ context }) => takeBack(context)),
    noteWithdrawal: assign({ withdrawn: true }),
    addRefund: assign(onEvent('refund.requested', addRefund)),
    applyRefund: assign(onEvent(REFUND_FACTS, applyRefund)),
    expireRefunds: assign(({ context, event }) => expireRefunds(context, event.now)),
    reverseRefunds: assign(({ context, event }) => reverseRefunds(context, event.now)),
    timeRefunds: assign(({ context }) => timed(context)),

    watchDeposit: asks<Context, Event>(effects.watchDeposit),
    requestCharge: asks<Context, Event>(effects.requestCharge),
    announcePulled: asks<Context, Event>(effects.announcePulled),
    announceSettled: asks<Context, Event>(effects.announceSettled),
    announceFailed: asks<Context, Event>(effects.announceFailed),
    announceBlocked: asks<Context, Event>(effects.announceBlocked),
    announceReorged: asks<Context, Event>(effects.announceReorged),
    announceCanceled: asks<Context, Event>(effects.announceCanceled),
    watchRefunds: asks<Context, Event>(effects.watchRefunds),
    announceRefund: asks<Context, Event>((context, event) =>
      onEvent(['refund.settled', 'refund.reorged'], effects.announceRefund)({ context, event }),
    ),
    redeemReservation: asks<Context, Event>(effects.redeemReservation),
    redeemLateUnit: asks<Context, Event>(effects.redeemLateUnit),
    releaseReservation: asks<Context, Event>(effects.releaseReservation),
  },
  guards: {
    isCycle: ({ context }) => context.cycleOf !== null,
    isWithdrawn: ({ context }) => context.withdrawn,
    isForced: ({ context }) => context.forcedFailure !== null,
    opensForced: onEvent('charge.opened', (_, event) => event.forcedFailure !== null),
    opensNext: onEvent('charge.opened', (context, event) => event.attempt > context.attempt),
    isMined: onEvent(
      'charge.mined',
      (context, event) => event.attempt === context.attempt && !isOvertaken(context, event),
    ),
    /** Any attempt counts: its money has moved, and the charge key lets no other attempt move it again. */
    isKnownAttempt: onEvent('charge.final', (context, event) => event.attempt <= context.attempt),
    isLandedAttempt: onEvent(
      ['charge.final', 'charge.moved', 'charge.reorged'],
      (context, event) => event.attempt === context.landedAttempt,
    ),
    isThisSubmission: onEvent(
      ['charge.started', 'charge.released', 'charge.refused', 'charge.undeliverable', 'charge.blocked'],
      (context, event) => event.attempt === context.attempt && event.round === context.pauses,
    ),
    awaitsDeposit: ({ context }) => context.deposit !== null,
    hasDeposit: ({ context }) => context.deposit !== null && context.deposit.arrived !== '0',
    isFunded: ({ context, event }) => isFundedBy(context, read(event)),
    isSoldOut: onEvent(['deposit.seen', 'deposit.expired'], (_, event) => event.isSoldOut === true),
    isSilent: onEvent('deposit.expired', (_, event) => event.found === null),
    isConfirming: ({ context, event }) => willBeFundedBy(context, read(event)),
    takesRefund: onEvent('refund.requested', takesRefund),
    isKnownRefund: onEvent('refund.requested', (context, { refund }) => isKnown(context, refund)),
    turnsRefund: onEvent(REFUND_FACTS, turnsRefund),
    changesRefund: onEvent(REFUND_FACTS, (context, event) => refundsAfter(context, event) !== null),
    /** The mandate allows no charge yet. */
    isNotYetAllowed: ({ context }) => context.wakeAt !== null,
    isObstructed: ({ context }) => context.pausedFor !== null,
    isPauseOver: ({ context, event }) => context.wakeAt !== null && context.wakeAt <= event.now,
  },
});

function read(event: Event): DepositReading {
  assertEvent(event, ['deposit.seen', 'deposit.expired']);
  return event.found ?? { arrived: '0', confirmed: '0', from: null };
}

/** The payment ends without a charge. */
const canceled = {
  target: '#payment.canceled',
  actions: ['takeBack', 'announceCanceled', 'releaseReservation'],
} as const;

/**
 * The chain's outcomes (mined, final, refused), accepted in every state. Those of other attempts and submissions are
 * acknowledged only.
 */
const outcomes = {
  'charge.mined': [
    { guard: 'isMined', target: '#payment.pulled', actions: ['land', 'announcePulled'] },
    { actions: 'acknowledge' },
  ],
  'charge.final': [
    { guard: 'isKnownAttempt', target: '#payment.settled', actions: ['land', 'announceSettled', 'redeemReservation'] },
    { actions: 'acknowledge' },
  ],
  'charge.refused': [
    { guard: 'isThisSubmission', target: '#payment.failed', actions: ['fail', 'announceFailed', 'releaseReservation'] },
    { actions: 'acknowledge' },
  ],
  'charge.undeliverable': [
    { guard: and(['isThisSubmission', 'isWithdrawn']), ...canceled },
    {
      guard: and(['isThisSubmission', 'isCycle']),
      target: '#payment.pending.paused',
      actions: ['pause', 'announceBlocked'],
    },
    { guard: 'isThisSubmission', target: '#payment.failed', actions: ['fail', 'announceFailed', 'releaseReservation'] },
    { actions: 'acknowledge' },
  ],
} as const;

/**
 * Withdrawn by the merchant (one-off) or by the end of the subscription (cycle) before the charge started. A payment
 * that has received a deposit is not withdrawn: it is charged, or ends by itself.
 */
const takenBack = {
  'cancel.requested': { guard: and([not('isCycle'), not('hasDeposit')]), ...canceled },
  'charge.withdrawn': canceled,
} as const;

/**
 * The transaction landed without this charge: the payment waits for a sender again, unless its subscription has ended.
 */
const released = [
  { guard: and(['isThisSubmission', 'isWithdrawn']), ...canceled },
  { guard: 'isThisSubmission', target: '#payment.pending.requested', actions: ['takeBack', 'noteRelease'] },
  { actions: 'acknowledge' },
] as const;

/** Enough has arrived. It is charged, unless every unit of the offer is sold. */
const funded = [
  {
    guard: and(['isFunded', 'isSoldOut']),
    target: '#payment.canceled',
    actions: ['sellOut', 'announceCanceled', 'releaseReservation'],
  },
  { guard: 'isFunded', target: 'requested', actions: ['takeDeposit', 'requestCharge'] },
] as const;

/** The money has moved, although the payment had ended without it. */
const landsLate = [
  { guard: 'isKnownAttempt', target: '#payment.settled', actions: ['land', 'announceSettled', 'redeemLateUnit'] },
  { actions: 'acknowledge' },
] as const;

/**
 * A fact about a refund counts whatever the payment is: money has moved, or is back. A payment that is not settled
 * waits for none.
 */
function refundFacts<const A extends 'timeRefunds' | 'reverseRefunds'>(then: A) {
  const changes = { guard: 'changesRefund', actions: ['applyRefund', then] } as const;
  const turns = { guard: 'turnsRefund', actions: ['applyRefund', then, 'announceRefund'] } as const;
  const nothing = { actions: 'acknowledge' } as const;
  return {
    'refund.sent': [changes, nothing],
    'refund.settled': [turns, changes, nothing],
    'refund.reorged': [turns, changes, nothing],
  } as const;
}

/** One on-chain charge, of a cycle or of its own (reference, section 3; docs/rules.md, "Payments"). */
export const paymentMachine = payment.createMachine({
  id: 'payment',
  version: '1',
  context: ({ input }) => input,
  initial: 'pending',
  on: {
    'charge.opened': { actions: 'acknowledge' },
    'charge.withdrawn': { actions: 'acknowledge' },
    'charge.scheduled': { actions: 'acknowledge' },
    'charge.released': { actions: 'acknowledge' },
    'charge.refused': { actions: 'acknowledge' },
    'charge.undeliverable': { actions: 'acknowledge' },
    'charge.blocked': { actions: 'acknowledge' },
    'charge.mined': { actions: 'acknowledge' },
    'charge.final': { actions: 'acknowledge' },
    'charge.reorged': { actions: 'acknowledge' },
    'charge.moved': { actions: 'acknowledge' },
    'deposit.seen': { actions: 'acknowledge' },
    'deposit.expired': { actions: 'acknowledge' },
    'refund.expired': { actions: 'acknowledge' },
    ...refundFacts('reverseRefunds'),
  },
  states: {
    pending: {
      description: 'The charge is in no block yet.',
      initial: 'requested',
      on: outcomes,
      states: {
        requested: {
          description: 'Waits for a sender; it can still be withdrawn.',
          on: {
            'actor.created': [
              {
                guard: 'isForced',
                target: '#payment.failed',
                actions: ['openFirst', 'failAsForced', 'announceFailed'],
              },
              { guard: 'awaitsDeposit', target: 'awaiting', actions: ['awaitDeposit', 'watchDeposit'] },
              { guard: 'isNotYetAllowed', target: 'paused', actions: 'openFirst' },
              { actions: ['openFirst', 'requestCharge'] },
            ],
            ...takenBack,
            'charge.started': { guard: 'isThisSubmission', target: 'started', actions: 'fixDestination' },
            'charge.blocked': [
              { guard: 'isThisSubmission', target: 'paused', actions: ['pause', 'announceBlocked'] },
              { actions: 'acknowledge' },
            ],
          },
        },
        awaiting: {
          description: 'Waits for a transfer to its deposit address.',
          on: {
            ...takenBack,
            'deposit.seen': [...funded, { actions: 'noteDeposit' }],
            'deposit.expired': [
              { guard: not('isPauseOver'), actions: 'acknowledge' },
              { guard: 'isSilent', actions: 'extendDeposit' },
              ...funded,
              { guard: 'isConfirming', actions: 'extendDeposit' },
              { target: '#payment.failed', actions: ['failUnpaid', 'announceFailed', 'releaseReservation'] },
            ],
          },
        },
        started: {
          description: 'A sender has started the charge: nobody can withdraw it.',
          on: {
            'charge.started': { guard: 'isThisSubmission', actions: 'fixDestination' },
            'charge.withdrawn': { actions: 'noteWithdrawal' },
            'charge.released': released,
          },
        },
        paused: {
          description: 'The charge cannot be made now. No money has moved. It is tried again later.',
          on: {
            ...takenBack,
            'charge.undeliverable': { actions: 'acknowledge' },
            'pause.over': {
              guard: 'isPauseOver',
              target: 'requested',
              actions: ['unschedule', 'rest', 'requestCharge'],
            },
            'pause.lifted': { guard: 'isObstructed', target: 'requested', actions: ['rest', 'requestCharge'] },
          },
        },
      },
    },
    pulled: {
      description: 'The charge is in a block that is not deep enough yet.',
      on: {
        ...outcomes,
        'charge.mined': [{ guard: 'isMined', actions: 'land' }, { actions: 'acknowledge' }],
        'charge.withdrawn': { actions: 'noteWithdrawal' },
        'charge.released': released,
      },
    },
    settled: {
      description: 'The charge is final: the money has arrived. It is watched until its block is finalized.',
      on: {
        // A process that died right after the first report reports again, after a reorg perhaps another transaction.
        'charge.final': [{ guard: 'isLandedAttempt', actions: 'move' }, { actions: 'acknowledge' }],
        'charge.moved': [{ guard: 'isLandedAttempt', actions: 'move' }, { actions: 'acknowledge' }],
        'charge.reorged': [
          { guard: 'isLandedAttempt', target: 'failed', actions: ['failReorged', 'announceReorged'] },
          { actions: 'acknowledge' },
        ],
        'refund.requested': [
          { guard: 'isKnownRefund', actions: 'acknowledge' },
          { guard: 'takesRefund', actions: ['addRefund', 'watchRefunds'] },
        ],
        'refund.canceled': { guard: 'changesRefund', actions: ['applyRefund', 'timeRefunds'] },
        'refund.expired': { actions: 'expireRefunds' },
        ...refundFacts('timeRefunds'),
      },
    },
    failed: {
      description: 'No money has moved.',
      on: {
        'charge.opened': [
          {
            guard: and(['opensNext', 'opensForced']),
            actions: ['openFurther', 'failAsForced', 'announceFailed'],
          },
          { guard: 'opensNext', target: 'pending', actions: ['openFurther', 'requestCharge'] },
          { actions: 'acknowledge' },
        ],
        'charge.final': landsLate,
        'charge.scheduled': { actions: 'schedule' },
        'charge.withdrawn': { actions: 'unschedule' },
      },
    },
    canceled: {
      description: 'Withdrawn before a sender started the charge, or sold out before its deposit arrived.',
      on: { 'charge.final': landsLate },
    },
  },
});
