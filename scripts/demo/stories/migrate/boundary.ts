import type { Stage } from '../../stage.ts';
import { charged, fallDue, renew } from '../subscription/charges.ts';
import type { Subscribed } from '../subscription/plan.ts';
import { shownOf } from './ask.ts';

interface Boundary {
  /** The cycle that begins at the boundary. */
  readonly cycle: number;
  /** The id of the requested price. */
  readonly priceId: string;
}

/** The period ends without the payer's signature: the old terms are charged. */
export async function staysAsItIs(stage: Stage, monthly: Subscribed, { cycle, priceId }: Boundary): Promise<void> {
  await renew(stage, monthly, cycle);
  const { priceAmount, offerPriceId } = await shownOf(stage, monthly);
  stage.expect.equal(
    'Without a signature the old terms are charged',
    { priceAmount, isMoved: offerPriceId === priceId },
    { priceAmount: monthly.plan.price, isMoved: false },
  );
}

/** The period ends with the payer's signature: the charge has the new terms, and pays for a year from there. */
export async function takesEffect(stage: Stage, yearly: Subscribed, { cycle, priceId }: Boundary): Promise<void> {
  const { timeline, expect } = stage;
  const due = await fallDue(stage, yearly, [{ from: 'active', to: 'active', outcome: 'settled' }]);
  const { periodStart, periodEnd } = await charged(stage, yearly, { cycle, suffix: ', a year' });
  expect.equal('The yearly period begins at the end of the monthly one', periodStart, due);
  expect.equal('The yearly period lasts a year', periodEnd, aYearAfter(due));
  const { priceAmount, offerPriceId, pendingOfferPriceId, status } = await shownOf(stage, yearly);
  timeline.add({ at: due, what: "Ada's subscription, yearly now", status, amount: priceAmount });
  expect.equal(
    'The subscription has the new terms',
    { priceAmount, offerPriceId, pendingOfferPriceId },
    {
      priceAmount: yearly.plan.price,
      offerPriceId: priceId,
      pendingOfferPriceId: null,
    },
  );
}

/** The same day of the next year, or the last day of that month. */
function aYearAfter(moment: string): string {
  const [date = '', time = ''] = moment.split('T');
  const [year = '', month = '', day = ''] = date.split('-');
  const next = Number(year) + 1;
  const lastDay = new Date(Date.UTC(next, Number(month), 0)).getUTCDate();
  return `${next}-${month}-${String(Math.min(Number(day), lastDay)).padStart(2, '0')}T${time}`;
}
