import { times } from '../calendar.ts';
import { FIRST_CHARGE, type Story } from '../story.ts';

/** A monthly subscription is approved, charged, past due, recovered and canceled. Another one ends by itself. */
export const subscription: Story = {
  name: 'subscription',
  title: 'A monthly subscription, from sign-up to cancel',
  run: async (stage) => {
    const merchant = await stage.createMerchant();
    const ada = await merchant.createPayer({ name: 'Ada', has: '200.00' });
    const coffee = await merchant.createOffer({ price: '9.90', every: 'month' });
    const club = await ada.subscribe(coffee, { on: '2028-01-31' });
    await club.expectStatus('pending', { paid: 0, until: null });
    await ada.approve('118.80');
    await club.expectStatus('active', { paid: 1, until: '2028-02-29' });
    await club.expectAuthorized();
    await club.advanceTo('2028-02-29');
    await club.expectStatus('active', { paid: 2, until: '2028-03-31' });
    await club.advanceTo('2028-03-31');
    await club.expectStatus('active', { paid: 3, until: '2028-04-30' });

    stage.narrator.chapter('The payer revokes the allowance, and approves again');
    await ada.revoke();
    await club.advanceTo('2028-04-30');
    await club.expectStatus('past_due', { paid: 3, failures: 1, because: 'insufficient_allowance' });
    await ada.approve('118.80');
    await club.expectStatus('active', { paid: 4, failures: 0, until: '2028-05-31' });
    await club.cancel();
    await club.expectStatus('canceled', { paid: 4 });
    await club.expectPeriods([
      '2028-01-31 to 2028-02-29',
      '2028-02-29 to 2028-03-31',
      '2028-03-31 to 2028-04-30',
      '2028-04-30 to 2028-05-31',
    ]);
    await club.expectEvents([
      ...FIRST_CHARGE,
      'payment.succeeded',
      'payment.succeeded',
      'payment.failed: insufficient_allowance',
      'payment.succeeded',
      'subscription.canceled',
    ]);
    await ada.expectPaid(times(4, '9.90'));

    stage.narrator.chapter('An offer of 2 cycles');
    const course = await merchant.createOffer(
      { price: '24.00', every: 'month', maxCycles: 2 },
      { name: 'Barista course' },
    );
    await ada.revoke();
    const limited = await ada.subscribe(course, { on: '2028-06-05' });
    await ada.approve('48.00');
    await limited.expectStatus('active', { paid: 1, until: '2028-07-05' });
    await limited.advanceTo('2028-07-05');
    await limited.expectStatus('active', { paid: 2, until: '2028-08-05' });
    await limited.advanceTo('2028-08-05');
    await limited.expectStatus('canceled', { paid: 2, until: '2028-08-05' });
    await limited.expectEvents([...FIRST_CHARGE, 'payment.succeeded', 'subscription.canceled: max_cycles_reached']);
    await ada.expectPaid([...times(4, '9.90'), '24.00', '24.00']);
  },
};
