import { ScriptError } from '../../../lib/script.ts';
import { TOKEN_KEY } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import { COFFEE_CLUB } from '../subscription/plan.ts';

export interface OnSale {
  readonly offerId: string;
  readonly priceId: string;
}

export async function putOnSale({ shop, timeline }: Stage): Promise<OnSale> {
  const { id: offerId, pricing } = await shop.merchant.api.offers.create({
    name: COFFEE_CLUB.offer,
    pricing: [
      { amount: COFFEE_CLUB.price, acceptedTokens: [TOKEN_KEY], billing: { type: 'recurring', interval: 'month' } },
    ],
  });
  const [price] = pricing;
  if (!price) throw new ScriptError(`The offer ${COFFEE_CLUB.offer} has no price`);
  timeline.add({
    at: new Date().toISOString(),
    what: `Offer: ${COFFEE_CLUB.offer}, monthly`,
    amount: COFFEE_CLUB.price,
  });
  return { offerId, priceId: price.id };
}
