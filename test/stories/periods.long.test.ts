import { times } from '../../stage/calendar.ts';
import type { Plan } from '../../stage/merchant.ts';
import { FIRST_CHARGE } from '../../stage/story.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import { MONTHLY, subscribed } from './support/subscribed.ts';

/**
 * The paid periods (docs/rules.md, "Subscriptions": Periods). The stories begin on New Year's Day of 2028, a leap year.
 */
const stage = useStage({ on: '2028-01-01', env: { TZ: 'America/New_York' } });

/** The periods between these dates, the first one included. */
function between(...dates: readonly string[]): string[] {
  return dates.slice(1).map((date, index) => `${dates[index]} to ${date}`);
}

describe('A trial of 14 days that begins on 1 January 2028', () => {
  const WITH_TRIAL = { ...MONTHLY, trialDays: 14 };

  it.concurrent('costs nothing until 15 January, and is charged then, for the period from its end', async () => {
    const { ada, club } = await subscribed(stage(), WITH_TRIAL);
    const { currentPeriodEnd: trialEnd } = await club.view();
    expect(trialEnd).toMatch(/^2028-01-15T09:/);
    await ada.approve('100.00');
    await club.expectAuthorized();

    await club.advanceTo('2028-01-14');
    await club.expectStatus('pending', { paid: 0, until: '2028-01-15' });
    await ada.expectPaid([]);

    await club.justBefore(trialEnd);
    await club.expectStatus('active', { paid: 1, until: '2028-02-15' });
    await club.expectPeriods(['2028-01-15 to 2028-02-15']);
    expect((await club.payments())[0]?.periodStart).toBe(trialEnd);
    await club.expectEvents(FIRST_CHARGE);
    await ada.expectPaid(['10.00']);
  });
});

interface Rhythm {
  readonly title: string;
  readonly plan: Plan;
  /** The first morning, and the end of each period. */
  readonly dates: readonly string[];
}

const RHYTHMS: readonly Rhythm[] = [
  {
    title: 'monthly from 31 January is charged on the last day of each month: 29 February in 2028, 28 February in 2029',
    plan: MONTHLY,
    dates: [
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
      '2028-04-30',
      '2028-05-31',
      '2028-06-30',
      '2028-07-31',
      '2028-08-31',
      '2028-09-30',
      '2028-10-31',
      '2028-11-30',
      '2028-12-31',
      '2029-01-31',
      '2029-02-28',
      '2029-03-31',
      '2029-04-30',
    ],
  },
  {
    title: 'yearly from 29 February is charged on 28 February, and on the 29th again in 2032',
    plan: { price: '99.00', every: 'year' },
    dates: ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29', '2033-02-28', '2034-02-28'],
  },
  {
    title: 'of three months from 30 November ends by itself on 28 February, after its last month',
    plan: { ...MONTHLY, maxCycles: 3 },
    dates: ['2028-11-30', '2028-12-30', '2029-01-30', '2029-02-28'],
  },
];

describe('A subscription', () => {
  it.concurrent.each(RHYTHMS)('$title', async ({ plan, dates }) => {
    const [on = '', first = ''] = dates;
    const [renewal = '', last = ''] = dates.slice(-2);
    const paid = dates.length - 1;
    const { ada, club } = await subscribed(stage(), plan, { on });
    await club.expectStatus('pending', { paid: 0, until: null });
    await ada.approve('1000.00');
    await club.expectStatus('active', { paid: 1, until: first });
    await club.advanceTo(renewal);
    await club.expectStatus('active', { paid, until: last });
    const ends = plan.maxCycles === undefined ? [] : ['subscription.canceled: max_cycles_reached'];
    if (ends.length > 0) {
      await club.advanceTo(last);
      await club.expectStatus('canceled', { paid, until: last });
    }
    await club.expectPeriods(between(...dates));
    await club.expectEvents([...FIRST_CHARGE, ...times(paid - 1, 'payment.succeeded'), ...ends]);
    await ada.expectPaid(times(paid, plan.price));
  });
});

endsWithSoundBooks(stage);
