import { times } from '../../stage/calendar.ts';
import type { Payer } from '../../stage/payer.ts';
import { FIRST_CHARGE } from '../../stage/story.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import { DAILY, MONTHLY, paidOnce } from './support/subscribed.ts';

/** Charges that fail (docs/rules.md, "Subscriptions": Renewal fails). The stories begin on 1 February 2028. */
const stage = useStage({ on: '2028-02-01', env: { TZ: 'Asia/Kolkata' } });

/**
 * The first timed check comes this long after a failed attempt (`src/billing/allowances/watching.ts`). A log of the
 * chain causes every earlier one.
 */
const FIRST_TIMED_CHECK_MS = 15_000;

describe('A renewal that fails on 5 May 2028', () => {
  it.concurrent.each([
    ['a top-up', { has: '15.00' }, 'insufficient_balance', (ada: Payer) => ada.receive('50.00')],
    ['an approval', { allows: '15.00' }, 'insufficient_allowance', (ada: Payer) => ada.approve('50.00')],
  ] as const)(
    'is paid at once by %s on the evening of 6 May, and the next is due on 5 June as before',
    async (_, means, because, act) => {
      const { ada, club } = await paidOnce(stage(), MONTHLY, { on: '2028-04-05', ...means });
      await club.advanceTo('2028-05-06');
      await club.expectStatus('past_due', { failures: 2, because });

      const began = performance.now();
      await act(ada);
      await club.expectStatus('active', { paid: 2, failures: 0, until: '2028-06-05' });
      expect(performance.now() - began).toBeLessThan(FIRST_TIMED_CHECK_MS);
      await club.expectPeriods(['2028-04-05 to 2028-05-05', '2028-05-05 to 2028-06-05']);

      await club.advanceTo('2028-06-05');
      await club.expectStatus('active', { paid: 3, until: '2028-07-05' });
      const failures = times(2, `payment.failed: ${because}`);
      await club.expectEvents([...FIRST_CHARGE, ...failures, 'payment.succeeded', 'payment.succeeded']);
      await ada.expectPaid(times(3, '10.00'));
    },
  );

  it.concurrent('is paid by a retry of the merchant if nothing on the chain shows that it can be', async () => {
    const { merchant, ada, club } = await paidOnce(stage(), MONTHLY, { on: '2028-04-05' });
    await ada.freeze();
    await club.advanceTo('2028-05-05');
    await club.expectStatus('past_due', { failures: 1, because: 'pull_reverted' });
    await ada.unfreeze();
    expect(await merchant.api.subscriptions.retry(club.id)).toMatchObject({ status: 'active', consecutiveFailures: 0 });
    await club.expectStatus('active', { paid: 2, until: '2028-06-05' });
    await club.expectEvents([...FIRST_CHARGE, 'payment.failed: pull_reverted', 'payment.succeeded']);
  });
});

describe("A daily plan whose payer the token's issuer freezes on 3 March 2028", () => {
  it.concurrent('recovers on day 5, pays for that day, and not for the days between', async () => {
    const { ada, club } = await paidOnce(stage(), DAILY, { on: '2028-03-01' });
    await club.advanceTo('2028-03-02');
    await ada.freeze();
    await club.advanceTo('2028-03-07');
    await club.expectStatus('past_due', { paid: 2, failures: 3, because: 'pull_reverted', until: '2028-03-03' });
    await ada.unfreeze();

    await club.advanceTo('2028-03-08');
    await club.expectStatus('active', { paid: 3, failures: 0, until: '2028-03-09' });
    await club.expectPeriods(['2028-03-01 to 2028-03-02', '2028-03-02 to 2028-03-03', '2028-03-08 to 2028-03-09']);
    const failures = times(3, 'payment.failed: pull_reverted');
    const recovered = [...FIRST_CHARGE, 'payment.succeeded', ...failures, 'payment.succeeded'];
    await club.expectEvents(recovered);

    // Nothing is due right after it; the next day is as usual.
    await club.advanceTo('2028-03-09');
    await club.expectStatus('active', { paid: 4, until: '2028-03-10' });
    await ada.expectPaid(times(4, '1.00'));
    await club.expectEvents([...recovered, 'payment.succeeded']);
  });
});

endsWithSoundBooks(stage);

it('leaves no check of a renewal without need', async () => {
  const store = await stage().store();
  const watches = await store.records.find('watches', { where: { _id: { gt: '' } }, limit: 100 });
  expect(watches.filter(({ _id }) => _id.endsWith(':risk'))).toEqual([]);
});
