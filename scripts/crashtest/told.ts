import { z } from 'zod';
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

export type ToldSubscription = z.infer<typeof subscription>;
export type ToldPayment = z.infer<typeof payment>;

/** What the service says over its API, by id. */
export interface Told {
  readonly subscriptions: ReadonlyMap<string, ToldSubscription>;
  readonly payments: ReadonlyMap<string, ToldPayment>;
}

const PAGE = 100;

/** Reads every subscription and payment of the world's merchant. */
export async function readTold(world: World): Promise<Told> {
  const [subscriptions, payments] = await Promise.all([
    everything(world, 'subscriptions', subscription),
    everything(world, 'payments', payment),
  ]);
  return { subscriptions, payments };
}

async function everything<T extends { readonly id: string }>(
  { merchant }: World,
  name: 'subscriptions' | 'payments',
  schema: z.ZodType<T>,
): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  for (let start = 0; ; start += PAGE) {
    const answer = await merchant.call('GET', `/${name}?limit=${PAGE}&start=${start}`);
    const page = z.array(schema).parse(answer[name]);
    for (const each of page) found.set(each.id, each);
    if (page.length < PAGE) return found;
  }
}
