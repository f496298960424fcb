import { and, assertEvent, assign, setup } from 'xstate';
import type { Effect } from './effects.ts';
import { asks } from './emitting.ts';
import {
  atRest,
  betweenAttempts,
  defer,
  end,
  fail,
  isWatchable,
  linkPayer,
  openAttempt,
  seeAllowance,
  settle,
  settleAfterEnd,
  verdictAt,
} from './subscription/changes.ts';
import type { SubscriptionContext } from './subscription/context.ts';
import * as effects from './subscription/effects.ts';
import type { SubscriptionEvent } from './subscription/events.ts';

type Context = SubscriptionContext;
type Event = SubscriptionEvent;

const subscription = setup({
  types: {
    context: {} as Context,
    events: {} as Event,
    input: {} as Context,
  },
  actions: {
    effect: (_, _params: Effect) => {},

    acknowledge: assign({}),
    openAttempt: assign(({ context, event }) => {
      assertEvent(event, ['cycle.due', 'retry.requested']);
      return openAttempt(context, event.now, event.type === 'cycle.due' && event.asked);
    }),
    settle: assign(({ context }) => settle(context)),
    settleAfterEnd: assign(({ context }) => settleAfterEnd(context)),
    fail: assign(({ context, event }) => {
      assertEvent(event, 'charge.failed');
      return fail(context, event);
    }),
    defer: assign(({ context, event }) => {
      assertEvent(event, 'cycle.due');
      return event.charge.ready ? context : defer(context, event.now, event.charge.why);
    }),
    endOnRequest: assign(({ context, event }) => {
      assertEvent(event, 'cancel.requested');
      return end(context, event.now, event.reason, false);
    }),
    endOnRequestInFlight: assign(({ context, event }) => {
      assertEvent(event, 'cancel.requested');
      return end(context, event.now, event.reason, true);
    }),
    endAtPeriodEnd: assign(({ context, event }) => end(context, event.now, 'requested', false)),
    endAtMaxCycles: assign(({ context, event }) => end(context, event.now, 'max_cycles_reached', false)),
    endOnVerdict: assign(({ context, event }) => {
      assertEvent(event, 'charge.failed');
      const verdict = verdictAt(context, event.now);
      return verdict.kind === 'retry' ? context : end(fail(context, event), event.now, verdict.kind, false);
    }),
    forgetOpen: assign({ open: null }),
    scheduleCancel: assign(({ context }) => ({ cancelAt: context.currentPeriodEnd })),
    clearCancel: assign({ cancelAt: null }),
    seeAllowance: assign(({ context, event }) => {
      assertEvent(event, 'allowance.seen');
      return seeAllowance(context, event);
    }),
    linkPayer: assign(({ context, event }) => {
      assertEvent(event, 'payer.linked');
      return linkPayer(context, event.wallet);
    }),
    wakeNow: assign(({ event }) => ({ wakeAt: event.now })),
    rest: assign(({ context }) => atRest(context)),
    awaitNextAttempt: assign(({ context }) => betweenAttempts(context)),
    replaceVariables: assign(({ event }) => {
      assertEvent(event, 'variables.replaced');
      return { customVariables: event.customVariables };
    }),
    moveClock: assign(({ event }) => {
      assertEvent(event, 'clock.moved');
      return { clockOffsetMs: event.clockOffsetMs };
    }),
    forceFailure: assign(({ event }) => {
      assertEvent(event, 'failure.forced');
      return { forcedFailure: event.reason };
    }),

    emitCreated: asks<Context, Event>(effects.emitCreated),
    emitActive: asks<Context, Event>(effects.emitActive),
    emitCanceled: asks<Context, Event>(effects.emitCanceled),
    emitPayment: asks<Context, Event>((context, event) => {
      assertEvent(event, ['charge.pulled', 'charge.settled', 'charge.failed']);
      return effects.emitPayment(context, event);
    }),
    openCharge: asks<Context, Event>(effects.openCharge),
    withdrawCharge: asks<Context, Event>(effects.withdrawCharge),
    scheduleCharge: asks<Context, Event>(effects.scheduleCharge),
    countUnit: asks<Context, Event>(effects.countUnit),
    freeUnit: asks<Context, Event>(effects.freeUnit),
    freeUnitOfFirst: asks<Context, Event>(effects.freeUnitOfFirst),
    watchAllowance: asks<Context, Event>(effects.watchAllowance),
    unwatchAllowance: asks<Context, Event>(effects.unwatchAllowance),
    unwatchUnauthorized: asks<Context, Event>(effects.unwatchUnauthorized),
  },
  guards: {
    isDue: ({ context, event }) => {
      assertEvent(event, 'cycle.due');
      return event.asked || isPast(context.wakeAt, event.now);
    },
    hasFallenDue: ({ context, event }) => isPast(context.wakeAt, event.now),
    isAuthorizedOrForced: ({ context }) =>
      context.forcedFailure !== null || (context.authorizedAt !== null && context.payerWallet !== null),
    canBeAttempted: ({ event }) => {
      assertEvent(event, ['cycle.due', 'retry.requested']);
      return event.charge.ready;
    },
    isCancelDue: ({ context, event }) => isPast(context.cancelAt, event.now),
    hasAllCycles: ({ context }) =>
      context.terms.maxCycles !== null && context.cyclesCompleted >= context.terms.maxCycles,
    isOpenAttempt: ({ context, event }) => {
      assertEvent(event, ['charge.pulled', 'charge.settled', 'charge.failed', 'charge.withdrawn']);
      return isOpen(context, event);
    },
    isOpenFirst: ({ context, event }) => {
      assertEvent(event, 'charge.settled');
      return isOpen(context, event) && context.anchor === null;
    },
    isOpenAttemptAndLast: ({ context, event }) => {
      assertEvent(event, 'charge.failed');
      return isOpen(context, event) && verdictAt(context, event.now).kind !== 'retry';
    },
    waitsForPeriodEnd: ({ context, event }) => {
      assertEvent(event, 'cancel.requested');
      return event.atPeriodEnd && context.currentPeriodEnd !== null && context.currentPeriodEnd > event.now;
    },
    isCancelScheduled: ({ context }) => context.cancelAt !== null,
    firstCovers: ({ context, event }) => {
      assertEvent(event, 'allowance.seen');
      return event.covers && context.authorizedAt === null && context.payerWallet !== null;
    },
    wouldNowSucceed: ({ context, event }) => {
      assertEvent(event, 'allowance.seen');
      return event.payable && isWatchable(context) && !isPast(context.wakeAt, event.now);
    },
    changesAllowance: ({ context, event }) => {
      assertEvent(event, 'allowance.seen');
      return context.payerWallet !== null && context.allowanceConfirmed !== event.covers;
    },
    movesForward: ({ context, event }) => {
      assertEvent(event, 'clock.moved');
      return event.clockOffsetMs > context.clockOffsetMs;
    },
    hasNoPayer: ({ context }) => context.payerWallet === null,
  },
});

/** Whether a payment's message is about the attempt in flight. */
function isOpen({ open }: Context, message: { readonly cycle: number; readonly attempt: number }): boolean {
  return open?.number === message.cycle && open.attempt === message.attempt;
}

function isPast(moment: string | null, now: string): boolean {
  return moment !== null && moment <= now;
}

const CLOSED = '#subscription.canceled.closed';
const CLOSING = '#subscription.canceled.closing';
const PAID = '#subscription.active.waiting';

/** Late or repeated messages of payments change nothing. */
const late = { actions: 'acknowledge' } as const;

/** What every subscription takes until it is canceled, whatever it waits for. */
const whileLive = {
  'clock.moved': { guard: 'movesForward', actions: 'moveClock' },
  'failure.forced': { actions: 'forceFailure' },
  'payer.linked': { guard: 'hasNoPayer', actions: ['linkPayer', 'watchAllowance'] },
  'allowance.seen': { guard: 'changesAllowance', actions: 'seeAllowance' },
} as const;

/** Cancel while no attempt is in flight. */
const cancelAtRest = [
  { guard: 'waitsForPeriodEnd', actions: ['scheduleCancel', 'rest'] },
  { target: CLOSED, actions: ['withdrawCharge', 'endOnRequest', 'emitCanceled', 'unwatchAllowance'] },
] as const;

/** What every attempt in flight has in common: nothing else falls due, and a cancel follows it to its end. */
const inFlight = {
  'charge.pulled': [{ guard: 'isOpenAttempt', actions: 'emitPayment' }, late],
  'cancel.requested': [
    { guard: 'waitsForPeriodEnd', actions: 'scheduleCancel' },
    { target: CLOSING, actions: ['endOnRequestInFlight', 'emitCanceled', 'withdrawCharge', 'unwatchAllowance'] },
  ],
} as const;

/** A failure that reaches a limit ends the subscription: days 0 to 7, or `maxFailedCycles`, whichever is first. */
const failsForGood = {
  guard: 'isOpenAttemptAndLast',
  target: CLOSED,
  actions: ['emitPayment', 'endOnVerdict', 'emitCanceled', 'freeUnitOfFirst'],
} as const;

/** A renewal that fails: past due, with the next attempt on its day. */
const renewalFails = [
  failsForGood,
  {
    guard: 'isOpenAttempt',
    target: '#subscription.past_due.waiting',
    actions: ['fail', 'scheduleCharge', 'emitPayment', 'watchAllowance'],
  },
  late,
] as const;

/** After a failure: an attempt on its day, or as soon as it is asked for or would succeed. */
const dunning = {
  'cycle.due': [
    {
      guard: 'isCancelDue',
      target: CLOSED,
      actions: ['withdrawCharge', 'endAtPeriodEnd', 'emitCanceled', 'unwatchAllowance'],
    },
    {
      guard: and(['isDue', 'canBeAttempted']),
      target: 'charging',
      actions: ['openAttempt', 'openCharge', 'unwatchAllowance'],
    },
    { guard: 'hasFallenDue', actions: 'defer' },
  ],
  'retry.requested': {
    guard: 'canBeAttempted',
    target: 'charging',
    actions: ['openAttempt', 'openCharge', 'unwatchAllowance'],
  },
  'allowance.seen': [
    { guard: 'wouldNowSucceed', actions: ['seeAllowance', 'wakeNow'] },
    { guard: 'changesAllowance', actions: 'seeAllowance' },
  ],
  'cancel.requested': {
    target: CLOSED,
    actions: ['withdrawCharge', 'endOnRequest', 'emitCanceled', 'unwatchAllowance'],
  },
  'resume.requested': [
    { guard: 'isCancelScheduled', actions: ['clearCancel', 'awaitNextAttempt', 'scheduleCharge'] },
    { actions: 'acknowledge' },
  ],
} as const;

/**
 * A customer's recurring relationship with one pricing option (reference, section 3; decisions, "Subscriptions"). In
 * `charging` one attempt is in flight and nothing else falls due; everywhere else `wakeAt` says what comes next.
 */
export const subscriptionMachine = subscription.createMachine({
  id: 'subscription',
  version: '1',
  context: ({ input }) => input,
  initial: 'pending',
  on: {
    'charge.pulled': late,
    'charge.settled': late,
    'charge.failed': late,
    'charge.withdrawn': late,
    'variables.replaced': { actions: 'replaceVariables' },
  },
  states: {
    pending: {
      description: 'No charge has settled yet.',
      initial: 'waiting',
      on: whileLive,
      states: {
        waiting: {
          description: 'Waits for the payer to authorize, then for the end of the trial, if there is one.',
          on: {
            'actor.created': { actions: ['emitCreated', 'watchAllowance'] },
            'allowance.seen': [
              { guard: 'firstCovers', actions: ['seeAllowance', 'rest', 'unwatchAllowance'] },
              { guard: 'changesAllowance', actions: 'seeAllowance' },
            ],
            'cycle.due': [
              {
                guard: 'isCancelDue',
                target: CLOSED,
                actions: ['endAtPeriodEnd', 'emitCanceled', 'unwatchAllowance'],
              },
              {
                guard: and(['isDue', 'isAuthorizedOrForced', 'canBeAttempted']),
                target: 'charging',
                actions: ['openAttempt', 'openCharge', 'unwatchUnauthorized'],
              },
              { guard: and(['hasFallenDue', 'isAuthorizedOrForced']), actions: 'defer' },
            ],
            'cancel.requested': cancelAtRest,
            'resume.requested': { actions: ['clearCancel', 'rest'] },
          },
        },
        charging: {
          description: 'The first charge is in flight.',
          on: {
            ...inFlight,
            'charge.settled': [
              {
                guard: 'isOpenAttempt',
                target: PAID,
                actions: ['settle', 'emitPayment', 'emitActive', 'countUnit'],
              },
              late,
            ],
            'charge.failed': [
              failsForGood,
              {
                guard: 'isOpenAttempt',
                target: 'dunning',
                actions: ['fail', 'scheduleCharge', 'emitPayment', 'watchAllowance', 'freeUnit'],
              },
              late,
            ],
            'resume.requested': { actions: 'clearCancel' },
          },
        },
        dunning: {
          description: 'The first charge has failed; it is tried again on days 1, 3, 5 and 7.',
          on: dunning,
        },
      },
    },
    active: {
      description: 'The current period is paid.',
      initial: 'waiting',
      on: whileLive,
      states: {
        waiting: {
          description: 'Waits for the end of the current period.',
          on: {
            'cycle.due': [
              { guard: 'isCancelDue', target: CLOSED, actions: ['endAtPeriodEnd', 'emitCanceled'] },
              { guard: and(['isDue', 'hasAllCycles']), target: CLOSED, actions: ['endAtMaxCycles', 'emitCanceled'] },
              { guard: and(['isDue', 'canBeAttempted']), target: 'charging', actions: ['openAttempt', 'openCharge'] },
              { guard: 'hasFallenDue', actions: 'defer' },
            ],
            'cancel.requested': cancelAtRest,
            'resume.requested': { guard: 'isCancelScheduled', actions: ['clearCancel', 'rest'] },
          },
        },
        charging: {
          description: 'A renewal is in flight.',
          on: {
            ...inFlight,
            'charge.settled': [{ guard: 'isOpenAttempt', target: PAID, actions: ['settle', 'emitPayment'] }, late],
            'charge.failed': renewalFails,
            'resume.requested': { guard: 'isCancelScheduled', actions: 'clearCancel' },
          },
        },
      },
    },
    past_due: {
      description: 'A renewal has failed; it is tried again on days 1, 3, 5 and 7.',
      initial: 'waiting',
      on: whileLive,
      states: {
        waiting: {
          description: 'Waits for the next attempt.',
          on: dunning,
        },
        charging: {
          description: 'A further attempt of the open cycle is in flight.',
          on: {
            ...inFlight,
            'charge.settled': [{ guard: 'isOpenAttempt', target: PAID, actions: ['settle', 'emitPayment'] }, late],
            'charge.failed': renewalFails,
            'resume.requested': { actions: 'clearCancel' },
          },
        },
      },
    },
    canceled: {
      description: 'Over for good; the record stays.',
      initial: 'closed',
      states: {
        closing: {
          description: 'A charge that may have been started is followed to its end.',
          on: {
            'charge.pulled': [{ guard: 'isOpenAttempt', actions: 'emitPayment' }, late],
            'charge.settled': [
              { guard: 'isOpenFirst', target: 'closed', actions: ['settleAfterEnd', 'emitPayment', 'countUnit'] },
              { guard: 'isOpenAttempt', target: 'closed', actions: ['settleAfterEnd', 'emitPayment'] },
              late,
            ],
            'charge.failed': [
              { guard: 'isOpenAttempt', target: 'closed', actions: ['emitPayment', 'freeUnitOfFirst', 'forgetOpen'] },
              late,
            ],
            'charge.withdrawn': [
              { guard: 'isOpenAttempt', target: 'closed', actions: ['freeUnitOfFirst', 'forgetOpen'] },
              late,
            ],
          },
        },
        closed: { description: 'Nothing is in flight.' },
      },
    },
  },
});
