import { times } from '../calendar.ts';
import { refusalOf } from '../merchant.ts';
import { FIRST_CHARGE, type Story } from '../story.ts';

const NO_ALLOWANCE = 'payment.failed: insufficient_allowance';

/** Charges that fail: paid later, given up after seven days, and ended by the price's limit. */
export const dunning: Story = {
  name: 'dunning',
  title: 'Charges fail: retries, grace and the end',
  run: async (stage) => {
    const merchant = await stage.createMerchant();
    const coffee = await merchant.createOffer({ price: '9.90', every: 'month' });
    const ada = await merchant.createPayer({ name: 'Ada', has: '100.00' });
    const club = await ada.subscribe(coffee, { on: '2028-04-05' });
    await ada.approve('9.90');
    await club.expectStatus('active', { paid: 1, until: '2028-05-05' });
    for (const [date, failures] of [
      ['2028-05-05', 1],
      ['2028-05-06', 2],
      ['2028-05-07', 2],
      ['2028-05-08', 3],
    ] as const) {
      await club.advanceTo(date);
      await club.expectStatus('past_due', {
        paid: 1,
        failures,
        because: 'insufficient_allowance',
        until: '2028-05-05',
      });
    }
    await ada.approve('118.80');
    await club.expectStatus('active', { paid: 2, failures: 0, until: '2028-06-05' });
    await club.expectPeriods(['2028-04-05 to 2028-05-05', '2028-05-05 to 2028-06-05']);
    await club.cancel();
    await club.expectStatus('canceled', { paid: 2 });
    await club.expectEvents([...FIRST_CHARGE, ...times(3, NO_ALLOWANCE), 'payment.succeeded', 'subscription.canceled']);
    await ada.expectPaid(['9.90', '9.90']);

    stage.narrator.chapter('The payer revokes the allowance for good: seven days of grace');
    const ben = await merchant.createPayer({ name: 'Ben', has: '100.00' });
    const tea = await ben.subscribe(
      await merchant.createOffer({ price: '12.00', every: 'month' }, { name: 'Tea Club' }),
      { on: '2028-04-05' },
    );
    await ben.approve('144.00');
    await tea.expectStatus('active', { paid: 1, until: '2028-05-05' });
    await ben.revoke();
    for (const [date, failures] of [
      ['2028-05-05', 1],
      ['2028-05-06', 2],
      ['2028-05-07', 2],
      ['2028-05-08', 3],
      ['2028-05-09', 3],
      ['2028-05-10', 4],
      ['2028-05-11', 4],
    ] as const) {
      await tea.advanceTo(date);
      await tea.expectStatus('past_due', { paid: 1, failures, because: 'insufficient_allowance', until: '2028-05-05' });
    }
    const [, failed] = await tea.payments();
    stage.expect.equal('The last attempt is on day 7', failed?.nextAttemptAt?.slice(0, 10), '2028-05-12');
    stage.expect.equal('Every attempt is of the same payment', failed?.attempts, 4);
    await tea.justBefore(failed?.nextAttemptAt);
    await tea.expectStatus('canceled', { paid: 1, failures: 5 });
    await tea.expectPeriods(['2028-04-05 to 2028-05-05', '2028-05-05 to 2028-06-05: failed']);
    await tea.expectEvents([
      ...FIRST_CHARGE,
      ...times(5, NO_ALLOWANCE),
      'subscription.canceled: max_failed_cycles_reached',
    ]);
    await ben.expectPaid(['12.00']);
    // It has ended for good: even with a new approval, nothing is charged.
    await ben.approve('144.00');
    const refusal = (await refusalOf(merchant.api.subscriptions.retry(tea.id))).slice(0, 29);
    stage.expect.equal('It cannot be tried again', refusal, '409 Subscription is canceled;');
    const moved = (await refusalOf(merchant.api.sandbox.advance({ subscriptionId: tea.id }))).slice(0, 3);
    stage.expect.equal('Its clock cannot be moved', moved, '409');

    stage.narrator.chapter('A price that allows no more than 2 failures in a row');
    const cara = await merchant.createPayer({ name: 'Cara', has: '24.00' });
    const daily = await merchant.createOffer(
      { price: '24.00', every: 'month', maxFailedCycles: 2 },
      { name: 'Newspaper' },
    );
    const paper = await cara.subscribe(daily, { on: '2028-04-05' });
    await cara.approve('288.00');
    await paper.expectStatus('active', { paid: 1 });
    await paper.advanceTo('2028-05-05');
    await paper.expectStatus('past_due', { failures: 1, because: 'insufficient_balance' });
    await paper.advanceTo('2028-05-06');
    await paper.expectStatus('canceled', { paid: 1, failures: 2 });
    await paper.expectEvents([
      ...FIRST_CHARGE,
      ...times(2, 'payment.failed: insufficient_balance'),
      'subscription.canceled: max_failed_cycles_reached',
    ]);
    await cara.expectPaid(['24.00']);
  },
};
