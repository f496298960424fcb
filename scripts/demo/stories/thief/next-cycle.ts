import type { Stage } from '../../stage.ts';
import type { Subscriber } from './cast.ts';

/** Moves the subscription's clock to the next charge. Resolves with the outcome of the charge. */
export async function nextCycle({ shop, world }: Stage, { id }: Subscriber): Promise<string> {
  const { api } = shop.merchant;
  await Promise.race([api.sandbox.advance({ subscriptionId: id }), world.lost]);
  const payment = (await shop.merchant.payments(id)).at(-1);
  if (payment === undefined) throw new Error(`subscription ${id} has no payment`);
  const { status, failureReason } = payment;
  return failureReason === null ? status : `${status}, ${failureReason}`;
}
