import fc from 'fast-check';
import { type EffectOf, type FailureReason, failureReason } from '../../../machines/effects.ts';
import { addDays } from '../../../machines/rules/period.ts';
import { deferral } from '../../../machines/subscription/context.ts';
import { isOnlyCheckDue } from '../../../machines/subscription/next-charge.ts';
import type { EventOf } from '../../../machines/versions.ts';
import { ASKED, CANCEL, DUE, PAUSE, RESUME, RETRY, type TestSubscription } from './subscription.ts';

/** What may happen to a subscription. `paid`: the attempts whose cycles are paid. */
export interface Happening {
  readonly kind: string;
  /** The event for the current state, or null if none applies; moves time if needed. */
  readonly event: (made: TestSubscription, paid: readonly EffectOf<'charge.open'>[]) => EventOf<'subscription'> | null;
}

const how = fc.constantFrom('settled', 'settled', 'settled', 'failed', 'failed', 'failed', 'pulled', 'withdrawn');
const reason = fc.constantFrom(...failureReason.options);
const isMostlyReady = fc.integer({ min: 0, max: 7 }).map((n) => n > 0);

function happens<T>(kind: string, weight: number, drawn: fc.Arbitrary<T>, event: (value: T) => Happening['event']) {
  const arbitrary = drawn.map((value): Happening & { value: T } => ({ kind, value, event: event(value) }));
  return { weight, arbitrary };
}

/** Mostly events that lead on, and sometimes one that ends it. */
export const happening: fc.Arbitrary<Happening> = fc.oneof(
  happens('time passes', 20, fc.integer({ min: 1, max: 400 }), (hours) => (made) => {
    made.at(new Date(Date.parse(made.now) + hours * 3_600_000).toISOString());
    return null;
  }),
  happens(
    'falls due',
    40,
    fc.tuple(isMostlyReady, fc.constantFrom(...deferral.options)),
    ([isReady, why]) =>
      (made) => {
        const { wakeAt } = made.context;
        if (wakeAt === null) return null;
        if (wakeAt > made.now) made.at(wakeAt);
        if (isOnlyCheckDue(made.context, made.now)) return { type: 'risk.due' };
        return isReady ? DUE : { ...DUE, charge: { ready: false, why } };
      },
  ),
  happens('is asked', 3, fc.boolean(), (isReady) => () => {
    return isReady ? ASKED : { ...ASKED, charge: { ready: false, why: 'not_enabled' } };
  }),
  happens('check', 8, fc.tuple(fc.boolean(), fc.boolean()), ([covers, hasBalance]) => (made) => {
    const type = made.context.risk.isAwaited ? 'risk.seen' : 'allowance.seen';
    return { type, covers, payable: covers && hasBalance };
  }),
  happens('authorizes', 4, fc.constantFrom('0xpayer', '0xother'), (wallet) => () => {
    return { type: 'payer.authorized', wallet };
  }),
  happens('outcome', 45, fc.tuple(how, reason), ([kind, why]) => (made) => {
    return isInFlight(made) ? messageOf(kind, made.attempt, why) : null;
  }),
  happens('late message', 8, fc.tuple(how, fc.nat({ max: 3 })), ([kind, back]) => (made, paid) => {
    return lateMessage(made, kind, back, paid);
  }),
  happens('lands after all', 3, fc.constant(null), () => (made) => {
    return made.context.open !== null && !isInFlight(made) ? { type: 'charge.settled', ...made.attempt } : null;
  }),
  happens('reorged', 3, fc.nat({ max: 2 }), (back) => (_, paid) => {
    const cycle = paid.at(-1 - back);
    return cycle ? { type: 'charge.reorged', ...aboutOf(cycle), ...periodOf(cycle) } : null;
  }),
  happens('cancel', 1, fc.boolean(), (atPeriodEnd) => () => ({ ...CANCEL, atPeriodEnd })),
  happens('retry', 3, fc.constant(null), () => () => RETRY),
  happens('resume', 2, fc.constant(null), () => () => RESUME),
  happens('pause', 4, fc.tuple(fc.option(fc.integer({ min: 1, max: 90 })), fc.boolean()), ([days, moves]) => (made) => {
    const until = days === null ? null : addDays(made.now, days);
    return { ...PAUSE, until, periodEnd: moves ? 'moves' : 'keeps' };
  }),
  happens('force', 1, fc.option(reason), (forced) => () => ({ type: 'failure.forced', reason: forced })),
);

export function isInFlight({ stateName }: TestSubscription): boolean {
  return stateName.endsWith('.charging') || stateName.endsWith('.closing');
}

function aboutOf({ cycle, attempt }: EffectOf<'charge.open'>): TestSubscription['attempt'] {
  return { cycle, attempt, paymentId: 'pay_1' };
}

function periodOf({ periodStart, periodEnd }: EffectOf<'charge.open'>) {
  return { periodStart, periodEnd };
}

/**
 * A message about an earlier attempt, or about the last one if none is in flight. An unpaid cycle that settles is never
 * a late message. The same is true for a settled, reorged and landed cycle of a subscription that ended before it had
 * an anchor.
 */
function lateMessage(
  made: TestSubscription,
  kind: Outcome,
  back: number,
  paid: readonly EffectOf<'charge.open'>[],
): EventOf<'subscription'> | null {
  const about = made.opened.at(-1 - back - (isInFlight(made) ? 1 : 0));
  if (!about) return null;
  const { open, ended, fallenOut, anchor } = made.context;
  const unpaid = [open?.number, ended?.lastFailed?.cycle, ...fallenOut.map(({ number }) => number)];
  const isPaid = paid.some(({ cycle }) => cycle === about.cycle);
  const isNew = unpaid.includes(about.cycle) || (ended !== null && anchor === null && !isPaid);
  if (kind === 'settled' && isNew) return null;
  return messageOf(kind, aboutOf(about), 'pull_reverted');
}

type Outcome = 'pulled' | 'settled' | 'failed' | 'withdrawn';

function messageOf(kind: Outcome, about: TestSubscription['attempt'], why: FailureReason): EventOf<'subscription'> {
  return kind === 'failed' ? { type: 'charge.failed', ...about, reason: why } : { type: `charge.${kind}`, ...about };
}
