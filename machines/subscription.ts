import { and, assertEvent, assign, not, setup } from 'xstate';
import type { Effect } from './effects.ts';
import { asks, onEventOf } from './implementations.ts';
import {
  awaitRisk,
  block,
  changeQuantity,
  clearCancel,
  defer,
  end,
  endOnRequest,
  fail,
  failAfterEnd,
  hasQuantity,
  isDeferred,
  isDeferredFor,
  isHurried,
  isOtherPayer,
  isWatchable,
  liftDeferral,
  linkPayer,
  openAttempt,
  passPeriod,
  quantityRefusal,
  reopen,
  reorg,
  scheduleCancel,
  seeAllowance,
  seeRisk,
  settle,
  settleAfterEnd,
  shortageOf,
  unblock,
  verdictAt,
} from './subscription/changes.ts';
import { BLOCKED_BY, type SubscriptionContext } from './subscription/context.ts';
import { countDiscount, setDiscount, takesDiscount } from './subscription/discount.ts';
import * as effects from './subscription/effects.ts';
import type { SubscriptionEvent, SubscriptionEventOf } from './subscription/events.ts';
import {
  cancelMigration,
  changeRefusal,
  changeVerdict,
  isMigrationOver,
  isMigrationReadFor,
  isOvertaken,
  migrateNow,
  openChange,
  postponeMigration,
  requestMigration,
  seeMigration,
  signMigration,
  undoChange,
} from './subscription/migration.ts';
import {
  atRest,
  betweenAttempts,
  dueAt,
  isMigrationReady,
  isNew,
  nextTerms,
  unpaused,
} from './subscription/next-charge.ts';
import { endPause, pause, pauseRefusal } from './subscription/pause.ts';
import {
  awaitWindow,
  delayCharge,
  isFree,
  isLastBilled,
  isUsageDue,
  newLevels,
  noteUsage,
  passesThreshold,
  waitsUntil,
} from './subscription/usage.ts';

type Context = SubscriptionContext;
type Event = SubscriptionEvent;

const onEvent = onEventOf<Context, Event>();

/** The events that open an attempt. */
const CHARGES = ['cycle.due', 'retry.requested'] as const;

const subscription = setup({
  types: {
    context: {} as Context,
    events: {} as Event,
    input: {} as Context,
    tags: {} as 'inFlight',
  },
  actions: {
    effect: (_, _params: Effect) => {},

    acknowledge: assign({}),
    openAttempt: assign(
      onEvent(['cycle.due', 'retry.requested', 'cancel.requested'], (context, event) =>
        openAttempt(context, event.now, event.type !== 'cycle.due' || event.asked, event.charge?.used),
      ),
    ),
    delayCharge: assign(({ context, event }) => delayCharge(context, event)),
    passPeriod: assign(onEvent('cycle.due', (context, event) => passPeriod(context, event.now, event.charge.used))),
    noteUsage: assign(onEvent('usage.seen', noteUsage)),
    awaitWindow: assign(onEvent('cycle.due', (context, event) => awaitWindow(context, event.now, event.charge.used))),
    openChange: assign(
      onEvent(CHARGES, (context, event) => {
        const verdict = changeVerdictOn(context, event);
        return verdict.kind === 'now' ? openChange(context, verdict, event.now) : context;
      }),
    ),
    undoChange: assign(({ context, event }) => undoChange(context, event.now)),
    settle: assign(({ context, event }) => settle(context, event.now)),
    settleAfterEnd: assign(({ context }) => settleAfterEnd(context)),
    countGivenUp: assign(({ context }) => ({
      cyclesCompleted: context.cyclesCompleted + 1,
      ...countDiscount(context),
    })),
    fail: assign(onEvent('charge.failed', fail)),
    defer: assign(
      onEvent('cycle.due', (context, event) =>
        event.charge.ready ? context : defer(context, event.now, event.charge.why),
      ),
    ),
    block: assign(onEvent('charge.blocked', (context, event) => block(context, event.reason))),
    unblock: assign(({ context }) => unblock(context)),
    liftDeferral: assign(({ context, event }) => liftDeferral(context, event.now)),
    endOnRequest: assign(onEvent('cancel.requested', (context, event) => endOnRequest(context, event, false))),
    endOnRequestInFlight: assign(onEvent('cancel.requested', (context, event) => endOnRequest(context, event, true))),
    endAtPeriodEnd: assign(({ context, event }) => end(context, event.now, 'requested', false)),
    endWithLastUsage: assign(({ context, event }) => end(context, event.now, 'requested', true)),
    endAtMaxCycles: assign(({ context, event }) => end(context, event.now, 'max_cycles_reached', false)),
    endOnVerdict: assign(
      onEvent('charge.failed', (context, event) => {
        const verdict = verdictAt(context, event.now);
        return verdict.kind === 'retry' ? context : end(fail(context, event), event.now, verdict.kind, false);
      }),
    ),
    failAfterEnd: assign(({ context }) => failAfterEnd(context)),
    closeWithdrawn: assign(({ context }) => failAfterEnd(context)),
    reorg: assign(onEvent('charge.reorged', reorg)),
    uncount: assign(({ context }) => ({ cyclesCompleted: Math.max(0, context.cyclesCompleted - 1) })),
    reopen: assign(({ context, event }) => reopen(context, event.now)),
    requestMigration: assign(onEvent('migration.requested', requestMigration)),
    signMigration: assign(onEvent('migration.signed', signMigration)),
    seeMigration: assign(onEvent('migration.seen', seeMigration)),
    cancelMigration: assign(({ context, event }) => cancelMigration(context, event.now)),
    postponeMigration: assign(({ context, event }) => postponeMigration(context, event.now)),
    migrateNow: assign(({ context, event }) => migrateNow(context, event.now)),
    scheduleCancel: assign(onEvent('cancel.requested', scheduleCancel)),
    pause: assign(onEvent('pause.requested', pause)),
    endPause: assign(({ context, event }) => endPause(context, event.now)),
    changeQuantity: assign(onEvent('quantity.requested', changeQuantity)),
    setDiscount: assign(onEvent('discount.requested', setDiscount)),
    clearCancel: assign(({ context }) => clearCancel(context)),
    seeAllowance: assign(onEvent('allowance.seen', seeAllowance)),
    noteRevocation: assign(({ event }) => ({ approvalRevokedAt: event.now })),
    awaitRisk: assign(({ context, event }) => awaitRisk(context, event.now)),
    seeRisk: assign(onEvent('risk.seen', seeRisk)),
    linkPayer: assign(onEvent(['payer.linked', 'payer.authorized'], linkPayer)),
    wakeNow: assign(({ event }) => ({ wakeAt: event.now })),
    rest: assign(({ context, event }) => atRest(context, event.now)),
    awaitNextAttempt: assign(({ context }) => betweenAttempts(context)),
    replaceVariables: assign(onEvent('variables.replaced', (_, event) => ({ customVariables: event.customVariables }))),
    moveClock: assign(onEvent('clock.moved', (_, event) => ({ clockOffsetMs: event.clockOffsetMs }))),
    forceFailure: assign(onEvent('failure.forced', (_, event) => ({ forcedFailure: event.reason }))),

    emitCreated: asks<Context, Event>(effects.emitCreated),
    emitActive: asks<Context, Event>(effects.emitActive),
    emitCanceled: asks<Context, Event>(effects.emitCanceled),
    emitTrialing: asks<Context, Event>((context, event) => effects.emitTrialing(context, event.now)),
    emitLateTrial: asks<Context, Event>(effects.emitLateTrial),
    emitMigrated: asks<Context, Event>(effects.emitMigrated),
    emitChanged: asks<Context, Event>(effects.emitChanged),
    emitQuantityChanged: asks<Context, Event>((context, event) => {
      assertEvent(event, 'quantity.requested');
      return effects.emitQuantityChanged(context, event.quantity);
    }),
    emitPaused: asks<Context, Event>((context, event) => {
      assertEvent(event, 'pause.requested');
      return effects.emitPaused(context, event.until);
    }),
    emitResumed: asks<Context, Event>((context, event) => effects.emitResumed(context, event.now)),
    emitUsageThresholds: asks<Context, Event>((context, event) => {
      assertEvent(event, ['cycle.due', 'retry.requested', 'cancel.requested', 'usage.seen']);
      return effects.emitUsageThresholds(context, event.type === 'usage.seen' ? event.used : event.charge?.used);
    }),
    emitPastDue: asks<Context, Event>(effects.emitPastDue),
    emitAtRisk: asks<Context, Event>(effects.emitAtRisk),
    emitRecovered: asks<Context, Event>(effects.emitRecovered),
    emitBlocked: asks<Context, Event>((context, event) => {
      assertEvent(event, ['cycle.due', 'charge.blocked']);
      if (event.type === 'charge.blocked') return effects.emitBlocked(context, event.reason);
      return event.charge.ready ? [] : effects.emitBlocked(context, BLOCKED_BY[event.charge.why]);
    }),
    emitPayment: asks<Context, Event>((context, event) => {
      assertEvent(event, ['charge.pulled', 'charge.settled', 'charge.failed', 'charge.reorged', 'charge.refunded']);
      return effects.emitPayment(context, event);
    }),
    openCharge: asks<Context, Event>(effects.openCharge),
    withdrawCharge: asks<Context, Event>(effects.withdrawCharge),
    scheduleCharge: asks<Context, Event>(effects.scheduleCharge),
    redeemReservation: asks<Context, Event>(effects.redeemReservation),
    releaseReservation: asks<Context, Event>(effects.releaseReservation),
    releaseFirstReservation: asks<Context, Event>(effects.releaseFirstReservation),
    redeemLateUnit: asks<Context, Event>(effects.redeemLateUnit),
    watchAllowance: asks<Context, Event>(() => effects.watch('charge')),
    watchPayer: asks<Context, Event>(effects.watchPayer),
    watchMigration: asks<Context, Event>(() => effects.watch('migration')),
    checkAhead: asks<Context, Event>(() => effects.watch('risk')),
    unwatchAllowance: asks<Context, Event>(() => effects.unwatch('charge')),
    unwatchMigration: asks<Context, Event>(() => effects.unwatch('migration')),
    unwatchAll: asks<Context, Event>(() => effects.unwatch('any')),
    unwatchIfAuthorizes: asks<Context, Event>((context, event) => {
      assertEvent(event, 'risk.seen');
      return effects.unwatchIfAuthorizes(context, event);
    }),
    unwatchUnauthorized: asks<Context, Event>(effects.unwatchUnauthorized),
    unwatchRisk: asks<Context, Event>(effects.unwatchRisk),
    unwatchIfThere: asks<Context, Event>((context, event) => {
      assertEvent(event, ['allowance.seen', 'risk.seen']);
      return effects.unwatchIfThere(context, event);
    }),
  },
  guards: {
    isDue: onEvent('cycle.due', (context, event) => event.asked || isPast(dueAt(context), event.now)),
    hasFallenDue: ({ context, event }) => isPast(dueAt(context), event.now),
    isCheckDue: ({ context, event }) => isPast(context.risk.lookAt, event.now),
    isAuthorizedOrForced: ({ context }) =>
      context.forcedFailure !== null || (context.authorizedAt !== null && context.payerWallet !== null),
    canBeAttempted: onEvent(CHARGES, (context, event) => event.charge.ready && !waitsForWindow(context, event)),
    waitsForWindow: onEvent(CHARGES, waitsForWindow),
    changesNow: onEvent(CHARGES, (context, event) => changeVerdictOn(context, event).kind === 'now'),
    isPostponed: onEvent(CHARGES, (context, event) => changeVerdictOn(context, event).kind === 'postponed'),
    isUnread: onEvent(CHARGES, (context, event) => changeVerdictOn(context, event).kind === 'unread'),
    isChange: ({ context }) => context.open?.change !== undefined,
    takesMigration: onEvent(
      'migration.requested',
      (context, event) => event.when === undefined || changeRefusal(context) === null,
    ),
    isDeferred: ({ context, event }) => isDeferred(context, event.now),
    isDeferredFor: onEvent('deferral.lifted', (context, event) => isDeferredFor(context, event.why, event.now)),
    isCancelDue: ({ context, event }) => isPast(context.cancelAt, event.now),
    hasAllCycles: ({ context }) => {
      const { maxCycles } = nextTerms(context);
      return maxCycles !== null && context.cyclesCompleted >= maxCycles;
    },
    isOpenAttempt: onEvent(
      ['charge.pulled', 'charge.settled', 'charge.failed', 'charge.withdrawn', 'charge.blocked'],
      isOpen,
    ),
    /** Any attempt counts: a settled cycle is paid, even if a further attempt has just been opened. */
    isOpenCycle: onEvent('charge.settled', (context, event) => context.open?.number === event.cycle),
    isGivenUpCycle: onEvent('charge.settled', (context, event) => isGivenUp(context, event.cycle)),
    isFirstCycle: ({ context }) => context.anchor === null,
    isOpenAttemptAndLast: onEvent(
      'charge.failed',
      (context, event) => isOpen(context, event) && verdictAt(context, event.now).kind !== 'retry',
    ),
    isLastFailed: onEvent('charge.settled', (context, event) => {
      const failed = context.ended?.lastFailed;
      return failed?.cycle === event.cycle && failed.attempt === event.attempt;
    }),
    isPaidCycle: onEvent('charge.reorged', (context, event) => {
      const unpaid = [...context.fallenOut, ...(context.open === null ? [] : [context.open])];
      return event.cycle <= context.lastCycle && !unpaid.some(({ number }) => number === event.cycle);
    }),
    hasReorged: ({ context }) => context.fallenOut.length > 0,
    isMigrationReady: ({ context }) => isMigrationReady(context),
    isMigrationOpen: ({ context, event }) => context.migration !== null && context.migration.expiresAt > event.now,
    isCoveredWallet: onEvent(
      'migration.signed',
      (context, event) => context.migration?.covered === true && isMigrationReadFor(context, event),
    ),
    changesMigration: onEvent(
      'migration.seen',
      (context, event) => changesMigration(context, event) && context.migration?.covered !== event.covers,
    ),
    completesMigration: onEvent(
      'migration.seen',
      (context, event) => changesMigration(context, event) && event.covers && context.migration?.wallet !== null,
    ),
    waitsForPeriodEnd: onEvent('cancel.requested', (context, event) => {
      const { currentPeriodEnd } = unpaused(context, event.now);
      return event.atPeriodEnd && currentPeriodEnd !== null && currentPeriodEnd > event.now;
    }),
    canPause: onEvent('pause.requested', (context, event) => pauseRefusal(context, event.now) === null),
    /** A payer does not change the merchant's. */
    changesPause: onEvent(
      'pause.requested',
      (context, event) => context.pause?.by === 'payer' || event.pausedBy === 'merchant',
    ),
    isPauseOver: ({ context, event }) => isPast(context.pause?.until ?? null, event.now),
    hasQuantity: onEvent('quantity.requested', hasQuantity),
    takesQuantity: onEvent('quantity.requested', (context, event) => quantityRefusal(context, event.quantity) === null),
    reachesUsageLevel: onEvent(
      'usage.seen',
      (context, { used }) => newLevels(context, used).length > 0 || passesThreshold(context, used),
    ),
    takesDiscount: onEvent('discount.requested', takesDiscount),
    /** Once it is paid, another payer may have to agree first. A change at once decides for itself. */
    isFree: onEvent(CHARGES, (context, event) => {
      const { anchor, authorizedAt, forcedFailure } = context;
      if ((anchor ?? authorizedAt ?? forcedFailure) === null || !isFree(context, event.charge.used)) return false;
      return changeVerdictOn(context, event).kind === 'none';
    }),
    isLastPeriod: ({ context }) => isLastBilled({ ...context, cyclesCompleted: context.cyclesCompleted + 1 }),
    /** Everything but the payer's money is there to charge it. */
    isUsageDue: onEvent(
      ['cycle.due', 'cancel.requested'],
      (context, event) => event.charge?.ready === true && isUsageDue(context, event.charge.used),
    ),
    isCancelScheduled: ({ context }) => context.cancelAt !== null,
    firstCovers: onEvent(
      'allowance.seen',
      (context, event) => event.covers && context.authorizedAt === null && isNewReading(context, event),
    ),
    wouldNowSucceed: onEvent('allowance.seen', (context, event) => {
      if (!event.payable || !isNewReading(context, event)) return false;
      return isWatchable(context) && !isPast(context.wakeAt, event.now) && !isHurried(context, event.now);
    }),
    changesAllowance: onEvent('allowance.seen', (context, event) => {
      const { short } = context.risk;
      const changes = context.allowanceConfirmed !== event.covers || (short !== null && short !== shortageOf(event));
      return changes && isNewReading(context, event);
    }),
    takesBack: onEvent('allowance.seen', (context, event) => {
      const isFirst = event.revoked === true && context.authorizedAt !== null && !context.approvalRevokedAt;
      return isFirst && isNewReading(context, event);
    }),
    isAwaitedCheck: onEvent('risk.seen', (context, event) => context.risk.isAwaited && isNewReading(context, event)),
    findsShort: onEvent('risk.seen', (_, event) => shortageOf(event) !== null),
    movesForward: onEvent('clock.moved', (context, event) => event.clockOffsetMs > context.clockOffsetMs),
    hasNoPayer: ({ context }) => context.payerWallet === null,
    changesPayer: onEvent('payer.authorized', isOtherPayer),
    isOvertaken: onEvent(['payer.authorized', 'migration.signed'], isOvertaken),
  },
});

function changeVerdictOn(context: Context, { charge, now }: SubscriptionEventOf<(typeof CHARGES)[number]>) {
  return changeVerdict(context, charge.ready ? charge.paid : null, now);
}

/** Whether a charge of use would be above the limit of 30 days. */
function waitsForWindow(context: Context, { charge, now }: SubscriptionEventOf<(typeof CHARGES)[number]>): boolean {
  return waitsUntil(context, now, charge.used) !== null;
}

/**
 * Whether a check of allowance and balance concerns the subscription's next charge and is newer than the last one seen.
 */
function isNewReading(context: Context, event: SubscriptionEventOf<'allowance.seen' | 'risk.seen'>): boolean {
  return context.payerWallet !== null && isNew(context, event.reading);
}

/** The same for the terms that a migration waits to apply. */
function changesMigration(context: Context, event: SubscriptionEventOf<'migration.seen'>): boolean {
  return !isMigrationOver(context, event.now) && isNew(context, event.reading, 'migration');
}

/** Whether a payment's message is about the attempt in flight. */
function isOpen({ open }: Context, message: { readonly cycle: number; readonly attempt: number }): boolean {
  return open?.number === message.cycle && open.attempt === message.attempt;
}

/**
 * True if this cycle may be neither paid nor outstanding: a migration abandoned it. After the end of a subscription
 * this is known only if nothing was ever paid.
 */
function isGivenUp({ open, fallenOut, ended, anchor, lastCycle, cyclesCompleted }: Context, cycle: number): boolean {
  if (ended !== null && anchor !== null) return false;
  const failed = ended?.lastFailed?.cycle ?? null;
  const unpaid = [...fallenOut.map(({ number }) => number), open?.number ?? null, failed].filter((one) => one !== null);
  return cycle <= lastCycle && !unpaid.includes(cycle) && cyclesCompleted + unpaid.length < lastCycle;
}

function isPast(moment: string | null, now: string): boolean {
  return moment !== null && moment <= now;
}

const CLOSED = '#subscription.canceled.closed';
const CLOSING = '#subscription.canceled.closing';
const PAID = '#subscription.active.waiting';

/** Late or repeated messages of payments change nothing. */
const late = { actions: 'acknowledge' } as const;

/**
 * A migration abandoned this cycle after a final refusal, but its charge landed. It is reported and counted. The cycle
 * that replaced it continues unchanged.
 */
const lateSettled = [
  { guard: 'isGivenUpCycle', actions: ['countGivenUp', 'emitPayment', 'redeemLateUnit'] },
  late,
] as const;

/** The events that every subscription accepts until it is canceled. */
const whileLive = {
  'clock.moved': { guard: 'movesForward', actions: 'moveClock' },
  'failure.forced': { actions: 'forceFailure' },
  'payer.linked': { guard: 'hasNoPayer', actions: ['linkPayer', 'watchPayer'] },
  'payer.authorized': [
    { guard: not('changesPayer'), actions: 'acknowledge' },
    { guard: not('isOvertaken'), actions: ['linkPayer', 'watchPayer'] },
  ],
  'allowance.seen': [
    { guard: 'firstCovers', actions: ['unwatchIfThere', 'seeAllowance', 'unwatchAllowance'] },
    { guard: 'changesAllowance', actions: ['unwatchIfThere', 'seeAllowance'] },
  ],
  'deferral.lifted': { guard: 'isDeferredFor', actions: 'liftDeferral' },
  'quantity.requested': [
    { guard: 'hasQuantity', actions: 'acknowledge' },
    { guard: 'takesQuantity', actions: ['emitQuantityChanged', 'changeQuantity'] },
  ],
  'discount.requested': { guard: 'takesDiscount', actions: 'setDiscount' },
  'usage.seen': { guard: 'reachesUsageLevel', actions: ['emitUsageThresholds', 'noteUsage'] },
  'migration.requested': { guard: 'takesMigration', actions: ['requestMigration', 'watchMigration'] },
  'migration_cancel.requested': { guard: 'isMigrationOpen', actions: ['cancelMigration', 'unwatchMigration'] },
  'migration.signed': {
    guard: and(['isMigrationOpen', not('isOvertaken')]),
    actions: ['signMigration', 'watchMigration'],
  },
  'migration.seen': { guard: 'changesMigration', actions: 'seeMigration' },
} as const;

/** Before the first payment, new terms apply as soon as they are signed and covered. */
const migratesAtOnce = {
  'migration.signed': [
    {
      guard: and(['isMigrationOpen', not('isOvertaken'), 'isCoveredWallet']),
      target: '#subscription.pending.waiting',
      actions: ['signMigration', 'withdrawCharge', 'emitTrialing', 'migrateNow', 'emitMigrated', 'unwatchAll'],
    },
    { guard: and(['isMigrationOpen', not('isOvertaken')]), actions: ['signMigration', 'watchMigration'] },
  ],
  'migration.seen': [
    {
      guard: 'completesMigration',
      target: '#subscription.pending.waiting',
      actions: ['seeMigration', 'withdrawCharge', 'emitTrialing', 'migrateNow', 'emitMigrated', 'unwatchAll'],
    },
    { guard: 'changesMigration', actions: 'seeMigration' },
  ],
} as const;

/** The terms of a change at once are authorized: their first period begins. */
const changesAtOnce = [
  { guard: and(['canBeAttempted', 'isPostponed']), actions: 'postponeMigration' },
  { guard: and(['canBeAttempted', 'isUnread']), actions: 'wakeNow' },
  {
    guard: and(['canBeAttempted', 'changesNow']),
    target: 'charging',
    actions: ['unwatchRisk', 'openChange', 'openCharge', 'unwatchMigration'],
  },
] as const;

/** On fixed days before a charge the service checks whether it could be paid. Each check reports a shortage once. */
const checksAhead = {
  'risk.due': { guard: 'isCheckDue', actions: ['awaitRisk', 'checkAhead'] },
  'risk.seen': [
    { guard: and(['isAwaitedCheck', 'findsShort']), actions: ['unwatchIfAuthorizes', 'seeRisk', 'emitAtRisk'] },
    { guard: 'isAwaitedCheck', actions: ['unwatchIfThere', 'unwatchIfAuthorizes', 'seeRisk'] },
  ],
} as const;

/** A paid cycle is reorged out. It was due before a pause, so the pause ends. */
const reorgedAtRest = [
  {
    guard: 'isPaidCycle',
    target: '#subscription.past_due.waiting',
    actions: [
      'unwatchRisk',
      'reorg',
      'emitPayment',
      'emitResumed',
      'endPause',
      'emitPastDue',
      'reopen',
      'scheduleCharge',
      'watchAllowance',
    ],
  },
  late,
] as const;

/** A settled cycle is reorged out while another is open: it waits until that one has ended. */
const reorgedBehind = [{ guard: 'isPaidCycle', actions: ['reorg', 'emitPayment'] }, late] as const;

/** The charge of the last use, which waits until the mandate allows it. */
const OPENS_LAST = ['emitUsageThresholds', 'openAttempt', 'delayCharge', 'openCharge'] as const;

/** Ends in place of a next charge. At a scheduled end the last use is charged, and one attempt is made. */
const endsWhenDue = [
  {
    guard: and(['isCancelDue', 'isUsageDue', 'isAuthorizedOrForced']),
    target: CLOSING,
    actions: [...OPENS_LAST, 'endWithLastUsage', 'emitCanceled', 'unwatchAll'],
  },
  { guard: 'isCancelDue', target: CLOSED, actions: ['endAtPeriodEnd', 'emitCanceled', 'unwatchAll'] },
  {
    guard: and(['isDue', 'hasAllCycles']),
    target: CLOSED,
    actions: ['endAtMaxCycles', 'emitCanceled', 'unwatchAll'],
  },
] as const;

/** A period without anything to charge makes no payment, and no readiness is needed. The last one is the end. */
const passesFree = [
  {
    guard: and(['isDue', 'isFree', 'isLastPeriod']),
    target: CLOSED,
    actions: ['passPeriod', 'endAtMaxCycles', 'emitCanceled', 'unwatchAll'],
  },
  { guard: and(['isDue', 'isFree']), actions: ['emitLateTrial', 'passPeriod'] },
] as const;

/** The charge comes as soon as the limit of 30 days allows it. That is no failure. */
const waits = { guard: and(['isDue', 'waitsForWindow']), actions: 'awaitWindow' } as const;

/** Cancel while no attempt is in flight. */
const cancelAtRest = [
  { guard: 'waitsForPeriodEnd', actions: ['scheduleCancel', 'rest'] },
  {
    guard: and(['isUsageDue', 'isAuthorizedOrForced']),
    target: CLOSING,
    actions: [...OPENS_LAST, 'endOnRequestInFlight', 'emitCanceled', 'unwatchAll'],
  },
  { target: CLOSED, actions: ['withdrawCharge', 'endOnRequest', 'emitCanceled', 'unwatchAll'] },
] as const;

/** The same while paused. Until the end of the paid period the pause is over. */
const [, ...endsNow] = cancelAtRest;
const cancelPaused = [
  {
    guard: 'waitsForPeriodEnd',
    target: PAID,
    actions: ['emitResumed', 'endPause', 'scheduleCancel', 'rest'],
  },
  ...endsNow,
] as const;

/** Shared by all attempts in flight: nothing else falls due, and a cancel follows the attempt to its end. */
const inFlight = {
  'charge.reorged': reorgedBehind,
  'charge.pulled': [{ guard: 'isOpenAttempt', actions: ['unblock', 'emitPayment'] }, late],
  'charge.blocked': [{ guard: 'isOpenAttempt', actions: ['emitBlocked', 'block'] }, late],
  'cancel.requested': [
    { guard: 'waitsForPeriodEnd', actions: 'scheduleCancel' },
    { target: CLOSING, actions: ['endOnRequestInFlight', 'emitCanceled', 'withdrawCharge', 'unwatchAll'] },
  ],
} as const;

/** A failure that reaches a limit ends the subscription: days 0 to 7, or `maxFailedCycles`, whichever is first. */
const failsForGood = {
  guard: 'isOpenAttemptAndLast',
  target: CLOSED,
  actions: ['emitPayment', 'releaseFirstReservation', 'endOnVerdict', 'emitCanceled', 'unwatchAll'],
} as const;

/** A paid renewal. If a cycle was reorged out meanwhile, that one is opened next. */
const renewalSettles = [
  {
    guard: and(['isOpenCycle', 'hasReorged']),
    target: '#subscription.past_due.waiting',
    actions: ['emitPayment', 'emitChanged', 'settle', 'emitPastDue', 'reopen', 'scheduleCharge', 'watchAllowance'],
  },
  { guard: 'isOpenCycle', target: PAID, actions: ['emitPayment', 'emitChanged', 'settle'] },
  ...lateSettled,
] as const;

/** The same for a further attempt: the overdue cycle is paid. */
const recoverySettles = [
  {
    guard: and(['isOpenCycle', 'hasReorged']),
    target: '#subscription.past_due.waiting',
    actions: ['settle', 'emitPayment', 'reopen', 'scheduleCharge', 'watchAllowance'],
  },
  { guard: 'isOpenCycle', target: PAID, actions: ['settle', 'emitPayment', 'emitRecovered'] },
  ...lateSettled,
] as const;

/** An attempt that was recorded as refused has landed. */
const landsAfterAll = [
  {
    guard: and(['isOpenCycle', 'hasReorged']),
    target: '#subscription.past_due.waiting',
    actions: ['settle', 'emitPayment', 'reopen', 'scheduleCharge'],
  },
  { guard: 'isOpenCycle', target: PAID, actions: ['settle', 'emitPayment', 'emitRecovered', 'unwatchAllowance'] },
  ...lateSettled,
] as const;

/** A renewal fails: past due, with the next attempt on its day. A change at once is undone instead. */
const renewalFails = [
  {
    guard: and(['isOpenAttempt', 'isChange', 'hasReorged']),
    target: '#subscription.past_due.waiting',
    actions: [
      'undoChange',
      'emitPayment',
      'watchMigration',
      'emitPastDue',
      'reopen',
      'scheduleCharge',
      'watchAllowance',
    ],
  },
  { guard: and(['isOpenAttempt', 'isChange']), target: PAID, actions: ['undoChange', 'emitPayment', 'watchMigration'] },
  failsForGood,
  {
    guard: 'isOpenAttempt',
    target: '#subscription.past_due.waiting',
    actions: ['fail', 'scheduleCharge', 'emitPayment', 'emitPastDue', 'watchAllowance'],
  },
  late,
] as const;

/** A further attempt fails: still past due, with the next one on its day. */
const recoveryFails = [
  failsForGood,
  {
    guard: 'isOpenAttempt',
    target: '#subscription.past_due.waiting',
    actions: ['fail', 'scheduleCharge', 'emitPayment', 'watchAllowance'],
  },
  late,
] as const;

/** After a failure: an attempt on its day, or earlier on request or when a check shows that it would succeed. */
const dunning = {
  'cycle.due': [
    {
      guard: 'isCancelDue',
      target: CLOSED,
      actions: ['withdrawCharge', 'endAtPeriodEnd', 'emitCanceled', 'unwatchAll'],
    },
    {
      guard: and(['isDue', 'canBeAttempted']),
      target: 'charging',
      actions: ['openAttempt', 'openCharge', 'unwatchAllowance'],
    },
    { guard: 'hasFallenDue', actions: ['emitBlocked', 'defer'] },
  ],
  'retry.requested': {
    guard: and(['canBeAttempted', not('isCancelDue')]),
    target: 'charging',
    actions: ['openAttempt', 'openCharge', 'unwatchAllowance'],
  },
  'allowance.seen': [
    { guard: 'wouldNowSucceed', actions: ['seeAllowance', 'wakeNow'] },
    { guard: 'changesAllowance', actions: 'seeAllowance' },
  ],
  'cancel.requested': [
    { guard: and(['waitsForPeriodEnd', 'isCancelScheduled']), actions: 'acknowledge' },
    { guard: 'waitsForPeriodEnd', actions: ['scheduleCancel', 'awaitNextAttempt', 'scheduleCharge'] },
    { target: CLOSED, actions: ['withdrawCharge', 'endOnRequest', 'emitCanceled', 'unwatchAll'] },
  ],
  'resume.requested': [
    { guard: 'isCancelScheduled', actions: ['clearCancel', 'awaitNextAttempt', 'scheduleCharge'] },
    { actions: 'acknowledge' },
  ],
} as const;

/**
 * A customer's recurring relationship with one pricing option (reference, section 3; docs/rules.md, "Subscriptions").
 * In `charging` one attempt is in flight and nothing else falls due; in every other state `wakeAt` is the next due
 * time.
 */
export const subscriptionMachine = subscription.createMachine({
  id: 'subscription',
  version: '1',
  context: ({ input }) => input,
  initial: 'pending',
  on: {
    'charge.pulled': late,
    'charge.settled': lateSettled,
    'charge.failed': late,
    'charge.withdrawn': late,
    'charge.reorged': late,
    'charge.blocked': late,
    'charge.refunded': { actions: 'emitPayment' },
    'variables.replaced': { actions: 'replaceVariables' },
  },
  states: {
    pending: {
      description: 'No charge has settled yet.',
      initial: 'waiting',
      on: whileLive,
      states: {
        waiting: {
          description: "Waits for the payer's authorization, then for the end of a trial.",
          on: {
            'actor.created': { actions: ['emitCreated', 'watchAllowance'] },
            'allowance.seen': [
              { guard: 'firstCovers', actions: ['emitTrialing', 'seeAllowance', 'rest', 'unwatchAllowance'] },
              { guard: 'changesAllowance', actions: ['unwatchIfThere', 'seeAllowance'] },
            ],
            'payer.authorized': [
              { guard: not('changesPayer'), actions: 'acknowledge' },
              { guard: not('isOvertaken'), actions: ['unwatchRisk', 'linkPayer', 'rest', 'watchPayer'] },
            ],
            ...checksAhead,
            'cycle.due': [
              ...endsWhenDue,
              ...passesFree,
              waits,
              {
                guard: and(['isDue', 'isAuthorizedOrForced', 'canBeAttempted']),
                target: 'charging',
                actions: ['unwatchRisk', 'emitUsageThresholds', 'openAttempt', 'openCharge', 'unwatchUnauthorized'],
              },
              { guard: and(['hasFallenDue', 'isAuthorizedOrForced']), actions: ['emitBlocked', 'defer'] },
            ],
            'retry.requested': {
              guard: and(['isDeferred', 'isAuthorizedOrForced', 'canBeAttempted', not('isCancelDue'), not('isFree')]),
              target: 'charging',
              actions: ['unwatchRisk', 'emitUsageThresholds', 'openAttempt', 'openCharge', 'unwatchUnauthorized'],
            },
            'cancel.requested': cancelAtRest,
            'resume.requested': { actions: ['clearCancel', 'rest'] },
            ...migratesAtOnce,
          },
        },
        charging: {
          description: 'The first charge is in flight.',
          tags: 'inFlight',
          on: {
            ...inFlight,
            'charge.settled': [
              {
                guard: 'isOpenCycle',
                target: PAID,
                actions: ['settle', 'emitPayment', 'emitActive', 'redeemReservation'],
              },
              ...lateSettled,
            ],
            'charge.failed': [
              failsForGood,
              {
                guard: and(['isOpenAttempt', 'isMigrationReady']),
                target: 'waiting',
                actions: [
                  'fail',
                  'emitPayment',
                  'releaseReservation',
                  'withdrawCharge',
                  'migrateNow',
                  'emitMigrated',
                  'unwatchMigration',
                ],
              },
              {
                guard: 'isOpenAttempt',
                target: 'dunning',
                actions: ['fail', 'scheduleCharge', 'emitPayment', 'watchAllowance', 'releaseReservation'],
              },
              late,
            ],
            'resume.requested': { actions: 'clearCancel' },
          },
        },
        dunning: {
          description: 'The first charge failed. It is tried again on days 1, 3, 5 and 7.',
          on: {
            ...dunning,
            ...migratesAtOnce,
            'charge.settled': [
              {
                guard: 'isOpenCycle',
                target: PAID,
                actions: ['settle', 'emitPayment', 'emitActive', 'redeemLateUnit', 'unwatchAllowance'],
              },
              ...lateSettled,
            ],
          },
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
            ...checksAhead,
            'cycle.due': [
              ...endsWhenDue,
              {
                guard: and(['isDue', 'isFree', 'isMigrationReady']),
                actions: ['passPeriod', 'emitMigrated', 'unwatchMigration'],
              },
              ...passesFree,
              waits,
              ...changesAtOnce,
              {
                guard: and(['isDue', 'canBeAttempted', 'isMigrationReady']),
                target: 'charging',
                actions: ['unwatchRisk', 'openAttempt', 'openCharge', 'emitMigrated', 'unwatchMigration'],
              },
              {
                guard: and(['isDue', 'canBeAttempted']),
                target: 'charging',
                actions: ['unwatchRisk', 'emitUsageThresholds', 'openAttempt', 'openCharge'],
              },
              { guard: 'hasFallenDue', actions: ['emitBlocked', 'defer'] },
            ],
            'charge.reorged': reorgedAtRest,
            'retry.requested': [
              ...changesAtOnce,
              {
                guard: and(['isDeferred', 'canBeAttempted', not('isCancelDue'), not('isFree'), 'isMigrationReady']),
                target: 'charging',
                actions: ['unwatchRisk', 'openAttempt', 'openCharge', 'emitMigrated', 'unwatchMigration'],
              },
              {
                guard: and(['isDeferred', 'canBeAttempted', not('isCancelDue'), not('isFree')]),
                target: 'charging',
                actions: ['unwatchRisk', 'emitUsageThresholds', 'openAttempt', 'openCharge'],
              },
            ],
            'cancel.requested': cancelAtRest,
            'resume.requested': { guard: 'isCancelScheduled', actions: ['clearCancel', 'rest'] },
            'pause.requested': { guard: 'canPause', target: 'paused', actions: ['unwatchRisk', 'emitPaused', 'pause'] },
          },
        },
        paused: {
          description: 'Nothing falls due until somebody resumes it, or the pause has its end.',
          on: {
            ...checksAhead,
            'cycle.due': { guard: 'isPauseOver', target: 'waiting', actions: ['emitResumed', 'endPause'] },
            'resume.requested': { target: 'waiting', actions: ['emitResumed', 'endPause'] },
            'pause.requested': { guard: 'changesPause', actions: ['emitPaused', 'pause'] },
            'charge.reorged': reorgedAtRest,
            'cancel.requested': cancelPaused,
          },
        },
        charging: {
          description: 'A renewal is in flight.',
          tags: 'inFlight',
          on: {
            ...inFlight,
            'charge.settled': renewalSettles,
            'charge.failed': renewalFails,
            'resume.requested': { guard: 'isCancelScheduled', actions: 'clearCancel' },
          },
        },
      },
    },
    past_due: {
      description: 'A renewal failed. It is tried again on days 1, 3, 5 and 7.',
      initial: 'waiting',
      on: whileLive,
      states: {
        waiting: {
          description: 'Waits for the next attempt.',
          on: { ...dunning, 'charge.reorged': reorgedBehind, 'charge.settled': landsAfterAll },
        },
        charging: {
          description: 'Another attempt at the open cycle is in flight.',
          tags: 'inFlight',
          on: {
            ...inFlight,
            'charge.settled': recoverySettles,
            'charge.failed': recoveryFails,
            'resume.requested': { actions: 'clearCancel' },
          },
        },
      },
    },
    canceled: {
      description: 'Ended for good.',
      initial: 'closed',
      on: {
        'allowance.seen': { guard: 'takesBack', actions: 'noteRevocation' },
        'charge.reorged': [{ guard: 'isPaidCycle', actions: ['uncount', 'emitPayment'] }, late],
      },
      states: {
        closing: {
          description: 'A charge that may have started is followed to its end.',
          tags: 'inFlight',
          on: {
            'charge.pulled': [{ guard: 'isOpenAttempt', actions: 'emitPayment' }, late],
            'charge.settled': [
              {
                guard: and(['isOpenCycle', 'isFirstCycle']),
                target: 'closed',
                actions: ['settleAfterEnd', 'emitPayment', 'redeemReservation'],
              },
              { guard: 'isOpenCycle', target: 'closed', actions: ['settleAfterEnd', 'emitPayment'] },
              ...lateSettled,
            ],
            'charge.failed': [
              {
                guard: 'isOpenAttempt',
                target: 'closed',
                actions: ['emitPayment', 'releaseFirstReservation', 'failAfterEnd'],
              },
              late,
            ],
            'charge.withdrawn': [
              { guard: 'isOpenAttempt', target: 'closed', actions: ['releaseFirstReservation', 'closeWithdrawn'] },
              late,
            ],
          },
        },
        closed: {
          description: 'No charge is in flight.',
          on: {
            'charge.settled': [
              {
                guard: and(['isLastFailed', 'isFirstCycle']),
                actions: ['settleAfterEnd', 'emitPayment', 'redeemLateUnit'],
              },
              { guard: 'isLastFailed', actions: ['settleAfterEnd', 'emitPayment'] },
              ...lateSettled,
            ],
          },
        },
      },
    },
  },
});
