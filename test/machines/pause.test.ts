import fc from 'fast-check';
import { addDays } from '../../machines/rules/period.ts';
import { creditOf } from '../../machines/subscription/migration.ts';
import { chargeDueAt } from '../../machines/subscription/next-charge.ts';
import { pauseRefusal } from '../../machines/subscription/pause.ts';
import { type AgreementState, NOTHING_CHARGED, underMandate } from '../../src/chains/mandate-rules.ts';
import {
  active,
  CANCEL,
  CANCEL_AT_END,
  CANCELED,
  COVERED,
  DUE,
  MONTHLY,
  NO_WALLET,
  PAUSE,
  REORGED,
  RESUME,
  RETRY,
  renewing,
  START,
  TestSubscription,
} from './support/subscription.ts';

const END = '2026-02-28T10:00:00.000Z';
const at = (days: number) => addDays(START, days);
const keeping = (until: string | null = null) => ({ ...PAUSE, periodEnd: 'keeps', until }) as const;
const moving = (until: string | null = null) => ({ ...PAUSE, until }) as const;

/** Paused ten days after its payment. */
const paused = (how: object = PAUSE, made = active()) => made.at(at(10)).goes({ ...PAUSE, ...how });

describe('a pause', () => {
  it('lets nothing fall due, keeps the status, and ends when it is resumed', () => {
    const made = paused();
    expect([made.stateName, made.due, made.context.risk.lookAt]).toEqual(['active.paused', null, null]);
    made.at(at(400));
    for (const event of [DUE, { ...DUE, asked: true }, RETRY]) expect(made.refuses(event)).toBe(true);
    expect(made.send(RESUME)).toEqual([`subscription.resumed`]);
    // 18 days of the month were left.
    expect([made.stateName, made.due, made.context.currentPeriodEnd]).toEqual(['active.waiting', at(418), at(418)]);
    made.falls();
    expect(made.context.open).toMatchObject({ number: 2, periodStart: at(418), periodEnd: '2027-04-25T10:00:00.000Z' });
  });

  it('ends by itself, at the moment that was set, however late the service is, and says before what comes', () => {
    const made = paused({ until: at(20) });
    expect([made.due, chargeDueAt(made.context)]).toEqual([at(20), addDays(END, 10)]);
    expect(made.at(at(23)).send(DUE)).toEqual(['subscription.resumed']);
    expect(made.due).toBe(addDays(END, 10));
  });

  it.each([
    ['moves the end by its length', moving(), 20, addDays(END, 10)],
    ['moves the end beyond it', moving(), 90, addDays(END, 80)],
    ['keeps the end', keeping(), 20, END],
    ['is followed by a charge at once if it has outlasted the period', keeping(), 90, at(90)],
  ])('%s', (_, how, resumed, due) => {
    const made = paused(how).at(at(resumed)).goes(RESUME);
    expect(made.due).toBe(due);
    made.falls();
    expect(made.context.open).toMatchObject({ periodStart: due });
    made.settles();
    expect(made.context).toMatchObject({ anchor: due === END ? START : due, movedBy: 0 });
  });

  it('is changed by whoever began it, and by the merchant; the rule of its beginning stays', () => {
    const made = paused({ pausedBy: 'payer' });
    expect(made.send({ ...PAUSE, until: at(30), pausedBy: 'payer' })).toEqual(['subscription.paused']);
    expect(made.send(moving(at(30)))).toEqual([]);
    expect(made.send(keeping(at(40)))).toEqual(['subscription.paused']);
    expect(made.context.pause).toMatchObject({ since: at(10), until: at(40), by: 'merchant', periodEnd: 'moves' });
    expect(made.refuses({ ...PAUSE, pausedBy: 'payer' })).toBe(true);
  });

  it('adds up with another one in the same period, also for the credit of a change', () => {
    const made = paused().at(at(15)).goes(RESUME).at(at(20)).goes(PAUSE).at(at(22)).goes(RESUME);
    expect(made.due).toBe(addDays(END, 7));
    // 15 of 28 days were used.
    const credit = creditOf(made.context, { amount: '2800', paymentId: 'pay_1' }, at(22));
    expect(credit).toMatchObject({ amount: '1300' });
  });

  it('is checked ahead, and the payer reminded, where the date of the charge is known', () => {
    const made = paused(keeping(at(60)));
    expect(made.context.risk.lookAt).toBe(at(53));
    expect(made.checksAhead()).toEqual(['watch risk']);
    expect(made.stateName).toBe('active.paused');
  });

  it('makes a change at once wait for the first charge after it', () => {
    const to = { ...MONTHLY, priceId: 'price_2', amount: '30000000' };
    const wish = { type: 'migration.requested', terms: to, expiresAt: addDays(START, 900), when: 'now' } as const;
    const made = active().goes(wish);
    paused({}, made).goes({ type: 'migration.signed', wallet: '0xpayer' }, { type: 'migration.seen', covers: true });
    expect([made.due, made.refuses({ ...wish, when: 'now' })]).toEqual([null, true]);
    made.at(at(15)).goes(RESUME);
    expect(made.due).toBe(addDays(END, 5));
    expect(made.falls()).toContain('subscription.migrated');
    expect(made.context.open).toMatchObject({ periodStart: addDays(END, 5) });
  });

  it('ends with a cancel, and the rest of the paid time follows if that is for the end of the period', () => {
    const made = paused().at(at(20));
    expect(made.send(CANCEL_AT_END)).toEqual(['subscription.resumed']);
    expect(made.context).toMatchObject({ cancelAt: addDays(END, 10), pause: null });
    expect(made.falls()).toEqual(CANCELED);
    expect(paused().send(CANCEL)).toEqual(CANCELED);
    expect(paused(keeping()).at(at(50)).send(CANCEL_AT_END)).toEqual(CANCELED);
  });

  it('ends if the chain takes the last payment back: that was owed before', () => {
    const made = paused();
    expect(made.send(REORGED)).toEqual(expect.arrayContaining(['subscription.resumed', 'subscription.past_due']));
    expect([made.stateName, made.context.pause]).toEqual(['past_due.waiting', null]);
  });

  it.each<[string, TestSubscription, ReturnType<typeof pauseRefusal>]>([
    ['before the first payment', new TestSubscription({ trialDays: 14 }).goes(COVERED), 'not_paid'],
    ['during a renewal', renewing(), 'open_cycle'],
    ['when the charge is due', active().at(END), 'due'],
    [
      'when the charge is due and blocked',
      active()
        .at(END)
        .goes({ ...DUE, charge: NO_WALLET }),
      'due',
    ],
    ['before its end', active().goes(CANCEL_AT_END), 'ending'],
    ['in its last cycle', active({ terms: { maxCycles: 1 } }), 'last'],
  ])('is refused %s', (_, made, why) => {
    expect([made.refuses(PAUSE), pauseRefusal(made.context, made.now)]).toEqual([true, why]);
  });

  it('moves charges later, never earlier, and always within the dates that were signed', () => {
    const interval = fc.record({
      unit: fc.constantFrom('day', 'week', 'month', 'year'),
      count: fc.constantFrom(1, 2, 5),
    });
    const part = fc.integer({ min: 0, max: 99 });
    const pauses = fc.array(fc.option(fc.tuple(part, part, fc.constantFrom('moves', 'keeps'))), {
      minLength: 14,
      maxLength: 14,
    });
    fc.assert(
      fc.property(interval, fc.integer({ min: 0, max: 365 }), pauses, (every, day, all) => {
        const made = active({ terms: { interval: every } });
        const check = mandateOf(every, made.now, day);
        check(made);
        for (const one of all) {
          const { due } = made;
          const length = Date.parse(due ?? '') - Date.parse(made.now);
          if (one !== null) {
            const [begins, lasts, periodEnd] = one;
            made.at(addDays(made.now, (length * begins) / 100 / 86_400_000)).goes({ ...PAUSE, periodEnd });
            made.at(addDays(made.now, (length * lasts) / 50 / 86_400_000)).goes(RESUME);
          }
          expect((made.due ?? '') >= (due ?? '')).toBe(true);
          made.falls();
          check(made);
          made.settles();
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** Fails if a charge now is not within a mandate of this rhythm, whose first date was so many days before. */
function mandateOf(every: { readonly unit: string; readonly count: number }, from: string, days: number) {
  const seconds = (moment: string) => Math.floor(Date.parse(moment) / 1_000);
  const step = { day: 86_400, week: 604_800 }[every.unit] ?? 0;
  const months = { month: 1, year: 12 }[every.unit] ?? 0;
  const mandate = {
    ...{ payer: '0xpayer', charges: 0, start: seconds(addDays(from, -days)), end: 0, issuedAt: 1 },
    ...{ interval: step * every.count, months: months * every.count },
    ...{ platform: '0xplatform', feeBps: 0, payees: ['0xshop'], agreement: '0x1', perCharge: 1n },
  };
  let state: AgreementState = NOTHING_CHARGED;
  return ({ now, context }: TestSubscription) => {
    const call = { shares: [{ to: '0xshop', amount: 1n }], isAnnounced: () => false, isSigned: () => true };
    const moment = BigInt(seconds(now));
    const verdict = underMandate(state, {
      ...call,
      mandate,
      hash: '0x2',
      cycle: BigInt(context.lastCycle),
      now: moment,
    });
    expect(verdict.kind).toBe('kept');
    if (verdict.kind === 'kept') ({ state } = verdict);
  };
}
