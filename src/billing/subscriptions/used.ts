import { subscriptionContextOf } from '../../model/subscription.ts';
import type { UsageDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';

/** The newest row of a subscription's usage, which has its total; null: nothing has been used. */
export async function lastUsage({ records }: Pick<Store, 'records'>, subscriptionId: string): Promise<UsageDoc | null> {
  const sort = [['sequence', -1]] as const;
  const [last] = await records.find('usage', { where: { subscriptionId }, sort, limit: 1 });
  return last ?? null;
}

/** All units so far of those with a metered price: one document is read for each, however many records it has. */
export async function usedBy(
  store: Pick<Store, 'records'>,
  docs: readonly ActorDoc[],
): Promise<ReadonlyMap<string, number>> {
  const metered = docs.filter((doc) => subscriptionContextOf(doc).usage !== undefined);
  const last = await Promise.all(metered.map(({ _id }) => lastUsage(store, _id)));
  return new Map(metered.map(({ _id }, index) => [_id, last[index]?.total ?? 0]));
}
