import { z } from 'zod';
import { insist } from '../../stage/merchant-client.ts';
import type { World } from './world.ts';

const subscription = z.object({
  id: z.string(),
  status: z.string(),
  cyclesCompleted: z.int(),
  consecutiveFailures: z.int(),
});
const payment = z.object({
  id: z.string(),
  subscriptionId: z.string().nullable(),
  status: z.string(),
  amount: z.string(),
  pullTxHash: z.string().nullable(),
});

type ApiSubscription = z.infer<typeof subscription>;
export type ApiPayment = z.infer<typeof payment>;

/** The subscriptions and payments in the API's answers, by id. */
export interface ApiState {
  readonly subscriptions: ReadonlyMap<string, ApiSubscription>;
  readonly payments: ReadonlyMap<string, ApiPayment>;
}

const PAGE = 100;

/** Reads every subscription and payment of the world's merchant. Repeats requests without an answer. */
export async function readApiState(world: World, signal: AbortSignal): Promise<ApiState> {
  const [subscriptions, payments] = await Promise.all([
    everything(world, 'subscriptions', subscription, signal),
    everything(world, 'payments', payment, signal),
  ]);
  return { subscriptions, payments };
}

async function everything<T extends { readonly id: string }>(
  { merchant }: World,
  name: 'subscriptions' | 'payments',
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  for (let start = 0; ; start += PAGE) {
    const path = `/${name}?limit=${PAGE}&start=${start}`;
    const answer = await insist(() => merchant.call('GET', path, undefined, signal), signal);
    const page = z.array(schema).parse(answer[name]);
    for (const each of page) found.set(each.id, each);
    if (page.length < PAGE) return found;
  }
}
