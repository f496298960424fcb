import { type ActorDoc, type ActorKind, EVERY_PARTITION } from '../../src/store/documents.ts';
import type { Store } from '../../src/store/port.ts';

interface Due {
  /** The longest due first. */
  readonly docs: readonly ActorDoc[];
  /** The number of timers read that wake nobody. */
  readonly others: number;
}

/** The actors of up to `limit` timers that are due. Unlike the store's `due`, it removes no timer. */
export async function dueActors({ actors, records }: Store, kind: ActorKind, now: Date, limit: number): Promise<Due> {
  const where = { kind, partition: { in: EVERY_PARTITION }, at: { lte: now } };
  const timers = await records.find('timers', { where, sort: [['at', 1]], ties: 'any', limit });
  const ids = timers.map(({ actorId }) => actorId);
  const docs = (await actors.load(kind, ids)).filter(
    ({ wakeAt, quarantine }) => wakeAt !== null && wakeAt <= now && quarantine === null,
  );
  const sorted = docs.toSorted((one, other) => Number(one.wakeAt) - Number(other.wakeAt));
  return { docs: sorted, others: timers.length - docs.length };
}
