import type { Stage } from '../../../stage/stage.ts';

/** Ada has subscribed to 10.00 a month of a merchant of its own, on this morning, and has not approved anything. */
export async function subscribed(stage: Stage, on: string) {
  const merchant = await stage.createMerchant();
  const ada = await merchant.createPayer({ has: '1000.00' });
  const club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month' }), { on });
  return { merchant, ada, club };
}
