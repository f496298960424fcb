import type { Payment, Subscription } from 'tideline/client';
import { insist } from '../../stage/merchant-client.ts';
import type { World } from './world.ts';

type ApiSubscription = Pick<Subscription, 'id' | 'status' | 'cyclesCompleted' | 'consecutiveFailures'>;
export type ApiPayment = Pick<Payment, 'id' | 'subscriptionId' | 'status' | 'amount' | 'pullTxHash'>;

export interface ApiState {
  readonly subscriptions: ReadonlyMap<string, ApiSubscription>;
  readonly payments: ReadonlyMap<string, ApiPayment>;
}

/** Reads every subscription and payment of the world's merchant. Repeats requests without an answer. */
export async function readApiState({ merchant }: World, signal: AbortSignal): Promise<ApiState> {
  const [subscriptions, payments] = await Promise.all([
    insist(() => byId(merchant.api.subscriptions.all({}, { signal })), signal),
    insist(() => byId(merchant.api.payments.all({}, { signal })), signal),
  ]);
  return { subscriptions, payments };
}

async function byId<T extends { readonly id: string }>(list: AsyncIterable<T>): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  for await (const each of list) found.set(each.id, each);
  return found;
}
