import { shifted, times } from '../../stage/calendar.ts';
import type { Plan } from '../../stage/merchant.ts';
import type { StagedSubscription } from '../../stage/subscription.ts';
import { until } from '../../stage/until.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import { contextOf } from './support/stored.ts';
import { paidOnce } from './support/subscribed.ts';

/** Renewals that are in danger, and what a payer does about it. The stories begin on 1 February 2028. */
const stage = useStage({ on: '2028-02-01', env: { TZ: 'Asia/Tokyo' } });

const PAID = ['payment.pulled', 'payment.succeeded'];
const FIRST_CHARGE = ['subscription.created', ...PAID, 'subscription.active'];
const MONTHLY: Plan = { price: '5.00', every: 'month' };

/** After a failed attempt, nobody checks by the clock before this (`src/billing/allowances/watching.ts`). */
const FIRST_TIMED_CHECK_MS = 15_000;

const TWO_HOURS_MS = 7_200_000;

/** Ada has subscribed on 5 February 2028, and has paid once. The merchant has opted in to all events. */
function paid({ plan = MONTHLY, ...how }: { has: string; allows: string; plan?: Plan }) {
  return paidOnce(stage(), plan, { on: '2028-02-05', extraEvents: true, ...how });
}

describe('A renewal on 5 March 2028', () => {
  it.concurrent('is reported as at risk 7, 3 and 1 days before, if the allowance does not cover it, and no more when it does', async () => {
    const { ada, club, merchant } = await paid({ has: '100.00', allows: '100.00' });
    const { currentPeriodEnd: chargeAt } = await club.view();
    await ada.approve('4.99');
    await club.at(shifted(chargeAt ?? '', -TWO_HOURS_MS));
    const atRisk = times(3, 'subscription.at_risk: insufficient_allowance');
    await club.expectEvents([...FIRST_CHARGE, ...atRisk]);
    const { offerId, offerPriceId: priceId } = await club.subscription();
    const data = { subscriptionId: club.id, offerId, priceId, reason: 'insufficient_allowance', chargeAt };
    const sent = merchant.receiver.events().filter(({ event }) => event === 'subscription.at_risk');
    expect(sent.map((envelope) => envelope.data)).toEqual(times(3, data));

    await ada.approve('100.00');
    await until(
      'the renewal is covered',
      () => contextOf(club),
      ({ risk }) => risk.short === null,
    );
    await club.advanceTo('2028-03-05');
    await club.expectStatus('active', { paid: 2 });
    await club.expectEvents([...FIRST_CHARGE, ...atRisk, ...PAID]);
  });

  it.concurrent('recovers at once by a top-up, beside the fixed days', async () => {
    const { ada, club } = await paid({ has: '5.00', allows: '100.00' });
    await club.advanceTo('2028-03-05');
    await club.expectStatus('past_due', { failures: 1, because: 'insufficient_balance' });
    await recovers(club, () => ada.receive('5.00'));
    await club.expectEvents([
      ...FIRST_CHARGE,
      ...times(3, 'subscription.at_risk: insufficient_balance'),
      'payment.failed: insufficient_balance',
      'subscription.past_due',
      ...PAID,
      'subscription.recovered',
    ]);
  });

  it.concurrent('recovers at once by an approval, beside the fixed days', async () => {
    const { ada, club } = await paid({ has: '100.00', allows: '5.00' });
    await club.advanceTo('2028-03-05');
    await club.expectStatus('past_due', { failures: 1, because: 'insufficient_allowance' });
    await recovers(club, () => ada.approve('5.00'));
  });

  /** By one attempt, and before any check by the clock, so a log of the chain caused it. */
  async function recovers(club: StagedSubscription, act: () => Promise<void>): Promise<void> {
    await act();
    const since = performance.now();
    await club.expectStatus('active', { paid: 2, failures: 0 });
    expect(performance.now() - since).toBeLessThan(FIRST_TIMED_CHECK_MS);
    const attempts = (await club.payments()).map(({ status, attempts: made }) => [status, made]);
    expect(attempts).toEqual([
      ['settled', 1],
      ['settled', 2],
    ]);
  }
});

describe('A daily renewal', () => {
  it.concurrent('is never reported as at risk', async () => {
    const { club } = await paid({ has: '100.00', allows: '1.00', plan: { price: '1.00', every: 'day' } });
    await club.advanceTo('2028-02-06');
    await club.expectStatus('past_due', { failures: 1 });
    await club.expectEvents([...FIRST_CHARGE, 'payment.failed: insufficient_allowance', 'subscription.past_due']);
  });
});

endsWithSoundBooks(stage);

it('leaves no check of a renewal without need', async () => {
  const store = await stage().store();
  const watches = await store.records.find('watches', { where: { _id: { gt: '' } }, limit: 100 });
  expect(watches.filter(({ _id }) => _id.endsWith(':risk'))).toEqual([]);
});
