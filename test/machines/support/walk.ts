import fc from 'fast-check';
import { type EffectOf, type FailureReason, failureReason } from '../../../machines/effects.ts';
import { isOnlyCheckDue } from '../../../machines/subscription/changes.ts';
import { deferral } from '../../../machines/subscription/context.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { EventOf } from '../../../machines/versions.ts';
import { CANCEL, RETRY, type TestSubscription } from './subscription.ts';

/** One possible event of a subscription; it is left out if it does not apply to the current state. */
export type Happening =
  | { readonly kind: 'time passes'; readonly hours: number }
  | { readonly kind: 'falls due'; readonly isReady: boolean; readonly why: ReturnType<typeof deferral.parse> }
  | { readonly kind: 'is asked'; readonly isReady: boolean }
  | { readonly kind: 'check'; readonly covers: boolean; readonly hasBalance: boolean }
  | { readonly kind: 'authorizes'; readonly wallet: string }
  | {
      readonly kind: 'outcome';
      readonly how: 'pulled' | 'settled' | 'failed' | 'withdrawn';
      readonly why: FailureReason;
    }
  | {
      readonly kind: 'late message';
      readonly how: 'pulled' | 'settled' | 'failed' | 'withdrawn';
      readonly back: number;
    }
  | { readonly kind: 'lands after all' }
  | { readonly kind: 'reorged'; readonly back: number }
  | { readonly kind: 'cancel'; readonly atPeriodEnd: boolean }
  | { readonly kind: 'retry' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'force'; readonly reason: FailureReason | null };

const how = fc.constantFrom('settled', 'settled', 'settled', 'failed', 'failed', 'failed', 'pulled', 'withdrawn');
const reason = fc.constantFrom(...failureReason.options);

/** Mostly events that lead on, and sometimes one that ends it. */
export const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ kind: fc.constant('time passes'), hours: fc.integer({ min: 1, max: 400 }) }) },
  {
    weight: 40,
    arbitrary: fc.record({
      kind: fc.constant('falls due'),
      isReady: fc.integer({ min: 0, max: 7 }).map((n) => n > 0),
      why: fc.constantFrom(...deferral.options),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('is asked'), isReady: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('check'), covers: fc.boolean(), hasBalance: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('authorizes'), wallet: fc.constantFrom('0xpayer', '0xother') }),
  },
  { weight: 45, arbitrary: fc.record({ kind: fc.constant('outcome'), how, why: reason }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('late message'), how, back: fc.nat({ max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('lands after all') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reorged'), back: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), atPeriodEnd: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('retry') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resume') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('force'), reason: fc.option(reason) }) },
);

/** The event for the current state, or null; moves time if needed. `paid`: the attempts whose cycles are paid. */
export function eventOf(
  made: TestSubscription,
  what: Happening,
  paid: readonly EffectOf<'charge.open'>[],
): EventOf<'subscription'> | null {
  switch (what.kind) {
    case 'time passes':
      made.at(new Date(Date.parse(made.now) + what.hours * 3_600_000).toISOString());
      return null;
    case 'falls due': {
      const { wakeAt } = made.context;
      if (wakeAt === null) return null;
      if (wakeAt > made.now) made.at(wakeAt);
      if (isOnlyCheckDue(made.context, made.now)) return { type: 'risk.due' };
      return {
        type: 'cycle.due',
        asked: false,
        charge: what.isReady ? { ready: true } : { ready: false, why: what.why },
      };
    }
    case 'is asked':
      return {
        type: 'cycle.due',
        asked: true,
        charge: what.isReady ? { ready: true } : { ready: false, why: 'not_enabled' },
      };
    case 'check': {
      const found = { covers: what.covers, payable: what.covers && what.hasBalance };
      return { type: made.context.risk.isAwaited ? 'risk.seen' : 'allowance.seen', ...found };
    }
    case 'authorizes':
      return { type: 'payer.authorized', wallet: what.wallet };
    case 'outcome':
      return isInFlight(made) ? messageOf(what.how, made.attempt, what.why) : null;
    case 'late message':
      return lateMessage(made, what, paid);
    case 'lands after all':
      return made.context.open !== null && !isInFlight(made) ? { type: 'charge.settled', ...made.attempt } : null;
    case 'reorged': {
      const cycle = paid.at(-1 - what.back);
      return cycle ? { type: 'charge.reorged', ...aboutOf(cycle), ...periodOf(cycle) } : null;
    }
    case 'cancel':
      return { ...CANCEL, atPeriodEnd: what.atPeriodEnd };
    case 'retry':
      return RETRY;
    case 'resume':
      return { type: 'resume.requested' };
    case 'force':
      return { type: 'failure.forced', reason: what.reason };
    default: {
      const never: never = what;
      throw new Error(`unknown happening ${JSON.stringify(never)}`);
    }
  }
}

export function isInFlight({ place }: TestSubscription): boolean {
  return place.endsWith('.charging') || place.endsWith('.closing');
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
  { how: kind, back }: Extract<Happening, { kind: 'late message' }>,
  paid: readonly EffectOf<'charge.open'>[],
): EventOf<'subscription'> | null {
  const opened = made.asked.filter((effect) => effect.type === 'charge.open');
  const about = opened.at(-1 - back - (isInFlight(made) ? 1 : 0));
  if (!about) return null;
  const { open, ended, fallenOut, anchor } = made.context;
  const unpaid = [open?.number, ended?.lastFailed?.cycle, ...fallenOut.map(({ number }) => number)];
  const isPaid = paid.some(({ cycle }) => cycle === about.cycle);
  const isNew = unpaid.includes(about.cycle) || (ended !== null && anchor === null && !isPaid);
  if (kind === 'settled' && isNew) return null;
  return messageOf(kind, aboutOf(about), 'pull_reverted');
}

function messageOf(
  kind: 'pulled' | 'settled' | 'failed' | 'withdrawn',
  about: TestSubscription['attempt'],
  why: FailureReason,
): EventOf<'subscription'> {
  switch (kind) {
    case 'pulled':
      return { type: 'charge.pulled', ...about };
    case 'settled':
      return { type: 'charge.settled', ...about };
    case 'failed':
      return { type: 'charge.failed', ...about, reason: why };
    case 'withdrawn':
      return { type: 'charge.withdrawn', ...about };
    default:
      return unknownCase(kind, 'message');
  }
}
