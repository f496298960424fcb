import type { Subscription } from 'tideline/client';
import { ScriptError } from '../../../lib/script.ts';
import { TOKEN_KEY } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import { newestPayment } from '../subscription/charges.ts';
import type { Subscribed } from '../subscription/plan.ts';
import { YEARLY } from './plans.ts';

/** The merchant adds a yearly price to the offer. Resolves with its id. */
export async function offerYearly(stage: Stage, monthly: Subscribed): Promise<string> {
  const { shop, timeline, expect } = stage;
  const { api } = shop.merchant;
  const { offerId } = await shownOf(stage, monthly);
  const offer = await api.offers.addPrice(offerId, {
    amount: YEARLY.price,
    acceptedTokens: [TOKEN_KEY],
    billing: { type: 'recurring', interval: 'year' },
  });
  const price = offer.pricing.at(-1);
  if (!price) throw new ScriptError(`The offer ${offerId} has no price`);
  const { periodStart: at } = await newestPayment(stage, monthly, 1);
  timeline.add({ at, what: 'A yearly price beside it', amount: price.amount });
  expect.equal('The offer has both prices', offer.pricing.length, 2);
  return price.id;
}

/** The merchant requests the yearly terms. Resolves with the link for the payer. */
export async function askToMove(stage: Stage, monthly: Subscribed, priceId: string): Promise<string> {
  const { shop, timeline, expect } = stage;
  const asked = await shop.merchant.api.subscriptions.migrate(monthly.id, { priceId });
  const { status, authorizationUrl, ...rest } = asked;
  const at = (await shop.merchant.payments(monthly.id)).at(-1)?.periodStart ?? new Date().toISOString();
  timeline.add({ at, what: 'The merchant asks: yearly terms?', amount: YEARLY.price });
  expect.equal(
    'The request waits for the payer',
    { status, ...rest },
    { status: 'pending_authorization', id: monthly.id, priceId, pendingOfferPriceId: priceId, pendingPriceId: priceId },
  );
  const { priceAmount, pendingOfferPriceId } = await shownOf(stage, monthly);
  expect.equal(
    'The terms have not changed yet',
    { priceAmount, pendingOfferPriceId },
    {
      priceAmount: monthly.plan.price,
      pendingOfferPriceId: priceId,
    },
  );
  return authorizationUrl;
}

/** The subscription in the API's list, with its terms. */
export async function shownOf({ shop }: Stage, { id }: Subscribed): Promise<Subscription> {
  const { subscriptions } = await shop.merchant.api.subscriptions.list();
  const found = subscriptions.find((subscription) => subscription.id === id);
  if (!found) throw new ScriptError(`GET /subscriptions does not list ${id}`);
  return found;
}
