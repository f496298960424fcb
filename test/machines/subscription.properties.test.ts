import fc from 'fast-check';
import type { Effect, EffectOf } from '../../machines/effects.ts';
import { isOnlyCheckDue } from '../../machines/subscription/next-charge.ts';
import { subscriptionMachine } from '../../machines/subscription.ts';
import { canonicalState } from '../../src/engine/canonical.ts';
import { leavesOf } from './support/nodes.ts';
import { CANCEL, COVERED, NO_WALLET, READY, TestSubscription } from './support/subscription.ts';
import { type Happening, happening, isInFlight } from './support/walk.ts';

/** The differences between subscriptions, beside the events. */
const terms = fc.record({
  interval: fc.record({ unit: fc.constantFrom('day', 'week', 'month', 'year'), count: fc.integer({ min: 1, max: 3 }) }),
  maxCycles: fc.option(fc.integer({ min: 1, max: 4 })),
  maxFailedCycles: fc.option(fc.integer({ min: 1, max: 6 })),
});

/** Most begin authorized; a few never had a wallet. */
const walks = fc.record({
  terms,
  trialDays: fc.constantFrom(0, 0, 14),
  payerWallet: fc.constantFrom('0xpayer', '0xpayer', '0xpayer', '0xpayer', null),
  isAuthorized: fc.constantFrom(true, true, true, true, false),
  happenings: fc.array(happening, { minLength: 10, maxLength: 60, size: 'max' }),
});
type Walk = typeof walks extends fc.Arbitrary<infer W> ? W : never;

function begin({ terms: of, trialDays, payerWallet, isAuthorized }: Walk): { made: TestSubscription; tally: Tally } {
  const made = new TestSubscription({ terms: of, trialDays, payerWallet });
  if (isAuthorized && payerWallet !== null) made.send(COVERED);
  return { made, tally: newTally() };
}

/** An observer's counts, by the reference and without the machine. */
interface Tally {
  settled: number;
  failedInARow: number;
  succeeded: number;
  /** True if a first charge has settled, in flight or abandoned before. */
  hasSoldUnit: boolean;
  readonly opened: EffectOf<'charge.open'>[];
  /** The attempts whose cycles are paid, as far as the chain knows. */
  paid: EffectOf<'charge.open'>[];
}

function newTally(): Tally {
  return { settled: 0, failedInARow: 0, succeeded: 0, hasSoldUnit: false, opened: [], paid: [] };
}

/** Applies an event and counts. Does nothing if it does not apply or is refused. */
function live(made: TestSubscription, what: Happening, tally: Tally): void {
  const event = what.event(made, tally.paid);
  if (event === null || made.refuses(event)) return;
  if (what.kind === 'late message') {
    expect(made.isUnmovedBy(event)).toBe(true);
    return;
  }
  const { ended, anchor } = made.context;
  const before = made.opened.length;
  made.send(event);
  tally.opened.push(...made.opened.slice(before));
  if (event.type === 'charge.settled') {
    tally.hasSoldUnit ||= anchor === null;
    tally.settled += 1;
    tally.succeeded += 1;
    tally.failedInARow = 0;
    tally.paid.push(...tally.opened.filter(({ cycle }) => cycle === event.cycle).slice(-1));
    tally.paid.sort((one, other) => one.cycle - other.cycle);
  }
  if (event.type === 'charge.failed' && ended === null) tally.failedInARow += 1;
  if (event.type === 'charge.reorged') {
    tally.settled -= 1;
    tally.paid = tally.paid.filter(({ cycle }) => cycle !== event.cycle);
  }
}

function check(made: TestSubscription, tally: Tally): void {
  const { context, stateName, state } = made;
  expect(canonicalState(JSON.parse(JSON.stringify(state)))).toBe(canonicalState(state));
  expect(context.cyclesCompleted).toBe(tally.settled);
  expect(context.consecutiveFailures).toBe(tally.failedInARow);
  expect(context.lastCycle).toBe(Math.max(0, ...tally.opened.map(({ cycle }) => cycle)));
  expect(context.ended !== null).toBe(stateName.startsWith('canceled.'));
  if (stateName.startsWith('canceled.') || isInFlight(made)) expect(context.wakeAt).toBeNull();
  else if (context.wakeAt === null && !context.pause)
    expect({ stateName, at: context.authorizedAt }).toEqual({ stateName: 'pending.waiting', at: null });
  expect(context.pause != null && context.ended === null).toBe(stateName === 'active.paused');
  expect(context.open !== null).toBe(
    isInFlight(made) || stateName === 'pending.dunning' || stateName === 'past_due.waiting',
  );
  expect(context.pastDueSince !== null && context.ended === null).toBe(stateName.startsWith('past_due.'));
}

/** A due machine accepts its wake, whatever the domain found, and is not due at the same time after that. */
function checkWaking(made: TestSubscription): void {
  const { wakeAt } = made.context;
  if (wakeAt === null) return;
  const [, now = wakeAt] = [made.now, wakeAt].sort();
  const due = [READY, NO_WALLET].map((charge) => ({ type: 'cycle.due', asked: false, charge }) as const);
  for (const event of isOnlyCheckDue(made.context, now) ? [{ type: 'risk.due' } as const] : due) {
    const next = made.trying(() => {
      made.at(now).send(event);
      return made.context.wakeAt;
    });
    // A pause that has outlasted the paid period is followed by a charge at once.
    expect(next === null || next > now || made.context.pause != null).toBe(true);
  }
}

function checkAsked(asked: readonly Effect[], { opened, paid, succeeded, hasSoldUnit }: Tally): void {
  const events = asked.flatMap((effect) => (effect.type === 'webhook.emit' ? effect.event : []));
  const count = (name: string): number => events.filter((event) => event === name).length;
  expect(count('subscription.created')).toBe(1);
  expect(count('subscription.active')).toBeLessThanOrEqual(Math.min(1, succeeded));
  expect(count('subscription.canceled')).toBeLessThanOrEqual(1);
  expect(count('payment.succeeded')).toBe(succeeded);
  expect(asked.filter(({ type }) => type === 'unit.count')).toHaveLength(hasSoldUnit ? 1 : 0);
  const attempts = new Map<number, number>();
  for (const { cycle, attempt } of opened) {
    if (!attempts.has(cycle)) expect(cycle).toBe(attempts.size + 1);
    expect(attempt).toBe((attempts.get(cycle) ?? 0) + 1);
    attempts.set(cycle, attempt);
  }
  for (const [index, { periodStart }] of paid.entries()) {
    expect(periodStart >= (paid[index - 1]?.periodEnd ?? '')).toBe(true);
  }
  const named = asked.flatMap((effect) =>
    effect.type === 'charge.withdraw' || effect.type === 'charge.schedule' ? effect.cycle : [],
  );
  for (const cycle of named) expect(attempts.has(cycle)).toBe(true);
}

describe('a subscription with any events', () => {
  it('reaches every state sooner or later', () => {
    const reached = new Set<string>();
    for (const walk of fc.sample(walks, { seed: 2, numRuns: 160 })) {
      const { made, tally } = begin(walk);
      for (const what of walk.happenings) {
        live(made, what, tally);
        reached.add(made.stateName);
      }
    }
    expect([...reached].sort()).toEqual(leavesOf(subscriptionMachine).sort());
  });

  it('keeps its counts, its dates and its promises', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const { made, tally } = begin(walk);
        for (const what of walk.happenings) {
          live(made, what, tally);
          check(made, tally);
          checkWaking(made);
        }
        checkAsked(made.asked, tally);
      }),
      { numRuns: 80 },
    );
  });

  it('falls due in its trial for the wallet that has authorized last', () => {
    const kinds = new Set(['time passes', 'falls due', 'check', 'authorizes']);
    const trial = happening.filter(({ kind }) => kinds.has(kind));
    fc.assert(
      fc.property(walks, fc.array(trial, { minLength: 10, maxLength: 40, size: 'max' }), (walk, happenings) => {
        const { made, tally } = begin({ ...walk, trialDays: 14 });
        for (const what of happenings) {
          live(made, what, tally);
          check(made, tally);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('stays canceled: nothing is charged again, and only charges in flight are still reported', () => {
    fc.assert(
      fc.property(walks, fc.array(happening, { maxLength: 30 }), (walk, afterwards) => {
        const { made, tally } = begin(walk);
        for (const what of walk.happenings) live(made, what, tally);
        if (made.context.ended === null) made.send(CANCEL);
        const { ended } = made.context;
        const before = made.asked.length;
        for (const what of afterwards) live(made, what, tally);
        const after = made.asked.slice(before);
        expect(made.context.ended).toMatchObject({ reason: ended?.reason, at: ended?.at });
        expect(after.filter(({ type }) => type === 'charge.open')).toEqual([]);
        const reported = after.flatMap((effect) => (effect.type === 'webhook.emit' ? effect.event : []));
        expect(reported.filter((event) => event.startsWith('subscription.'))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('is due after each payment at the end of a later period, or at its scheduled cancel if that is earlier', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const { made, tally } = begin(walk);
        for (const what of walk.happenings.filter(({ kind }) => kind !== 'reorged')) {
          const { open } = made.context;
          const paid = tally.paid.length;
          live(made, what, tally);
          if (tally.paid.length === paid || made.context.ended !== null) continue;
          const { currentPeriodEnd, cancelAt } = made.context;
          expect((currentPeriodEnd ?? '') > (open?.openedAt ?? '')).toBe(true);
          const [first] = [currentPeriodEnd, cancelAt].filter((at) => at !== null).sort();
          expect(made.due).toBe(first);
        }
      }),
      { numRuns: 60 },
    );
  });
});
