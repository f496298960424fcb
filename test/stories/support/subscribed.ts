import type { Merchant, Plan } from '../../../stage/merchant.ts';
import type { Payer } from '../../../stage/payer.ts';
import type { OnSale } from '../../../stage/seller.ts';
import type { Stage } from '../../../stage/stage.ts';
import type { StagedSubscription } from '../../../stage/subscription.ts';

export const MONTHLY: Plan = { price: '10.00', every: 'month' };

/** A merchant of its own with an offer, and Ada, who has subscribed to it. */
export interface Subscribed {
  readonly merchant: Merchant;
  readonly offer: OnSale;
  readonly ada: Payer;
  readonly club: StagedSubscription;
}

interface Subscribing {
  /** The morning of the subscription; the time of the service by default. */
  readonly on?: string;
  /** The tokens in Ada's wallet; 1,000.00 by default. */
  readonly has?: string;
}

/** Ada has subscribed, and has not approved anything. */
export async function subscribed(stage: Stage, plan: Plan, how: Subscribing = {}): Promise<Subscribed> {
  const { on, has = '1000.00' } = how;
  const merchant = await stage.createMerchant();
  const offer = await merchant.createOffer(plan);
  const ada = await merchant.createPayer({ has });
  const club = await ada.subscribe(offer, on === undefined ? {} : { on });
  return { merchant, offer, ada, club };
}

/** Ada has approved too, without a practical limit by default, and has paid once. */
export async function paidOnce(
  stage: Stage,
  plan: Plan,
  { allows = '1000.00', ...how }: Subscribing & { readonly allows?: string },
): Promise<Subscribed> {
  const story = await subscribed(stage, plan, how);
  await story.ada.approve(allows);
  await story.club.expectStatus('active', { paid: 1 });
  return story;
}
