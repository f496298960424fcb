import type { Subscriber } from './cast.ts';
import type { Scene } from './scene.ts';

/** Moves the subscription's clock to the next charge. Resolves with the outcome of the charge. */
export async function nextCycle({ merchant }: Scene, { id }: Subscriber): Promise<string> {
  await merchant.api.sandbox.advance({ subscriptionId: id });
  const [payment] = await merchant.payments({ subscriptionId: id });
  if (payment === undefined) throw new Error(`subscription ${id} has no payment`);
  const { status, failureReason } = payment;
  return failureReason === null ? status : `${status}, ${failureReason}`;
}
