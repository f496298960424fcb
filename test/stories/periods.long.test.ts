import { times } from '../../stage/calendar.ts';
import { refusalOf } from '../../stage/merchant.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';

/**
 * The paid periods (docs/rules.md, "Subscriptions": Periods). The stories begin on New Year's Day of 2028, a leap year.
 */
const stage = useStage({ on: '2028-01-01', env: { TZ: 'America/New_York' } });

const FIRST_CHARGE = ['subscription.created', 'payment.succeeded', 'subscription.active'];

describe('A trial of 14 days that begins on 1 January 2028', () => {
  it.concurrent('costs nothing until 15 January, and is charged then, for the period from its end', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '100.00' });
    const club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month', trialDays: 14 }));
    const { currentPeriodEnd: trialEnd } = await club.view();
    expect(trialEnd).toMatch(/^2028-01-15T09:/);
    await ada.approve('100.00');
    await club.expectAuthorized();

    await club.advanceTo('2028-01-14');
    await club.expectStatus('pending', { paid: 0, until: '2028-01-15' });
    await ada.expectPaid([]);

    await club.justBefore(trialEnd);
    await club.expectStatus('active', { paid: 1, until: '2028-02-15' });
    expect(await club.periods()).toEqual(['2028-01-15 to 2028-02-15']);
    expect((await club.payments())[0]?.periodStart).toBe(trialEnd);
    await club.expectEvents(FIRST_CHARGE);
    await ada.expectPaid(['10.00']);
  });

  it.concurrent('waits without an authorization, and is charged on 20 January, for the period from then', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '100.00' });
    const club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month', trialDays: 14 }));
    await club.advanceToMorning('2028-01-20');
    await club.expectStatus('pending', { paid: 0, failures: 0, until: '2028-01-15' });
    await club.expectEvents(['subscription.created']);

    await ada.approve('100.00');
    await club.expectStatus('active', { paid: 1, until: '2028-02-20' });
    await club.expectEvents(FIRST_CHARGE);
    await ada.expectPaid(['10.00']);
  });
});

describe('A monthly subscription that begins on 31 January 2028', () => {
  it.concurrent('is charged on the last day of each month, which is 29 February in 2028 and 28 February in 2029', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '1000.00' });
    const club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month' }), {
      on: '2028-01-31',
    });
    await club.expectStatus('pending', { paid: 0, until: null });
    await ada.approve('1000.00');
    await club.expectStatus('active', { paid: 1, until: '2028-02-29' });

    await club.advanceTo('2029-03-31');
    await club.expectStatus('active', { paid: 15, until: '2029-04-30' });
    expect(await club.periods()).toEqual([
      '2028-01-31 to 2028-02-29',
      '2028-02-29 to 2028-03-31',
      '2028-03-31 to 2028-04-30',
      '2028-04-30 to 2028-05-31',
      '2028-05-31 to 2028-06-30',
      '2028-06-30 to 2028-07-31',
      '2028-07-31 to 2028-08-31',
      '2028-08-31 to 2028-09-30',
      '2028-09-30 to 2028-10-31',
      '2028-10-31 to 2028-11-30',
      '2028-11-30 to 2028-12-31',
      '2028-12-31 to 2029-01-31',
      '2029-01-31 to 2029-02-28',
      '2029-02-28 to 2029-03-31',
      '2029-03-31 to 2029-04-30',
    ]);
    await club.expectEvents([...FIRST_CHARGE, ...times(14, 'payment.succeeded')]);
    await ada.expectPaid(times(15, '10.00'));
  });

  it.concurrent('falls due by itself at the end of each period, and not a millisecond earlier', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '1000.00' });
    const club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month' }), {
      on: '2028-01-31',
    });
    await ada.approve('1000.00');
    for (const until of ['2028-02-29', '2028-03-31', '2028-04-30']) {
      await club.expectStatus('active', { until });
      await club.justBefore((await club.view()).currentPeriodEnd);
    }
    await club.expectStatus('active', { paid: 4, until: '2028-05-31' });
    expect(await club.periods()).toEqual([
      '2028-01-31 to 2028-02-29',
      '2028-02-29 to 2028-03-31',
      '2028-03-31 to 2028-04-30',
      '2028-04-30 to 2028-05-31',
    ]);
  });
});

describe('A yearly subscription that begins on 29 February 2028', () => {
  it.concurrent('is charged on 28 February, and on the 29th again in 2032', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '1000.00' });
    const club = await ada.subscribe(await merchant.createOffer({ price: '99.00', every: 'year' }), {
      on: '2028-02-29',
    });
    await ada.approve('1000.00');
    await club.expectStatus('active', { paid: 1, until: '2029-02-28' });

    await club.advanceTo('2033-02-28');
    await club.expectStatus('active', { paid: 6, until: '2034-02-28' });
    expect(await club.periods()).toEqual([
      '2028-02-29 to 2029-02-28',
      '2029-02-28 to 2030-02-28',
      '2030-02-28 to 2031-02-28',
      '2031-02-28 to 2032-02-29',
      '2032-02-29 to 2033-02-28',
      '2033-02-28 to 2034-02-28',
    ]);
    await club.expectEvents([...FIRST_CHARGE, ...times(5, 'payment.succeeded')]);
    await ada.expectPaid(times(6, '99.00'));
  });
});

describe('A daily subscription over the nights of clock changes', () => {
  it.concurrent('has days of 24 hours, in March as in November', async () => {
    const merchant = await stage().createMerchant();
    const plan = await merchant.createOffer({ price: '1.00', every: 'day' });
    const nights = [
      // In New York, where this service runs, at 2:00 of 12 March and 5 November; in the EU on 26 March and 29 October.
      ['2028-03-11', '2028-03-12', '2028-03-13', '2028-03-14'],
      ['2028-03-25', '2028-03-26', '2028-03-27', '2028-03-28'],
      ['2028-10-28', '2028-10-29', '2028-10-30', '2028-10-31'],
      ['2028-11-04', '2028-11-05', '2028-11-06', '2028-11-07'],
    ] as const;
    await Promise.all(
      nights.map(async ([first, second, third, fourth]) => {
        const ada = await merchant.createPayer({ has: '10.00' });
        const club = await ada.subscribe(plan, { on: first });
        await ada.approve('10.00');
        await club.expectStatus('active', { until: second });
        await club.advanceTo(third);
        expect(await club.periods()).toEqual([
          `${first} to ${second}`,
          `${second} to ${third}`,
          `${third} to ${fourth}`,
        ]);
        await ada.expectPaid(times(3, '1.00'));
      }),
    );
  });
});

describe('A subscription of three months', () => {
  it.concurrent('ends by itself on 28 February 2029, after its last month, if it began on 30 November 2028', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '100.00' });
    const plan = await merchant.createOffer({ price: '10.00', every: 'month', maxCycles: 3 });
    const club = await ada.subscribe(plan, { on: '2028-11-30' });
    await ada.approve('100.00');
    await club.expectStatus('active', { paid: 1 });

    await club.advanceTo('2029-02-27');
    await club.expectStatus('active', { paid: 3, until: '2029-02-28' });
    await club.advanceTo('2029-02-28');
    await club.expectStatus('canceled', { paid: 3, until: '2029-02-28' });
    expect(await club.periods()).toEqual([
      '2028-11-30 to 2028-12-30',
      '2028-12-30 to 2029-01-30',
      '2029-01-30 to 2029-02-28',
    ]);
    await club.expectEvents([
      ...FIRST_CHARGE,
      'payment.succeeded',
      'payment.succeeded',
      'subscription.canceled: max_cycles_reached',
    ]);
    await ada.expectPaid(times(3, '10.00'));
  });
});

describe('A subscription that the merchant cancels on 10 June 2028 for the end of the paid month', () => {
  it.concurrent('continues until 5 July, is not charged then, and ends', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '100.00' });
    const club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month' }), {
      on: '2028-05-05',
    });
    await ada.approve('100.00');
    await club.expectStatus('active');
    await club.advanceTo('2028-06-10');
    const { cancelAt, currentPeriodEnd } = await merchant.api.subscriptions.cancel(club.id, { atPeriodEnd: true });
    expect(cancelAt).toBe(currentPeriodEnd);
    await club.expectStatus('active', { paid: 2, until: '2028-07-05' });

    await club.justBefore(cancelAt);
    await club.expectStatus('canceled', { paid: 2 });
    await club.expectEvents([...FIRST_CHARGE, 'payment.succeeded', 'subscription.canceled']);
    await ada.expectPaid(['10.00', '10.00']);
  });

  it.concurrent('continues for good if it is resumed on 20 June', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '100.00' });
    const club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month' }), {
      on: '2028-05-05',
    });
    await ada.approve('100.00');
    await club.expectStatus('active');
    await club.advanceTo('2028-06-10');
    await merchant.api.subscriptions.cancel(club.id, { atPeriodEnd: true });
    await club.advanceTo('2028-06-20');
    await merchant.api.subscriptions.resume(club.id);

    await club.advanceTo('2028-07-05');
    await club.expectStatus('active', { paid: 3, until: '2028-08-05' });
    await club.expectEvents([...FIRST_CHARGE, 'payment.succeeded', 'payment.succeeded']);
    await ada.expectPaid(times(3, '10.00'));
    expect(await refusalOf(merchant.api.subscriptions.resume(club.id))).toMatch(/^409 Subscription is active; /);
  });

  it.concurrent('ends with its trial, without a charge', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '100.00' });
    const club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month', trialDays: 14 }));
    await ada.approve('100.00');
    await club.expectAuthorized();
    await merchant.api.subscriptions.cancel(club.id, { atPeriodEnd: true });
    await club.justBefore((await club.view()).currentPeriodEnd);
    await club.expectStatus('canceled', { paid: 0 });
    await club.expectEvents(['subscription.created', 'subscription.canceled']);
    await ada.expectPaid([]);
  });
});

endsWithSoundBooks(stage);
