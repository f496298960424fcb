import { DUE_LEASE_MS, DueActors } from '../engine/due.ts';
import { SCAN_MAX } from '../engine/scanner.ts';
import type { EventDoc } from '../store/collections.ts';
import { EVERY_PARTITION } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { storeLeases, type Workers } from '../store/workers.ts';
import { decide, unsoundnessOf } from './deliveries.ts';
import type { WebhookParts } from './parts.ts';
import { eventsBefore, hasTurn, isQueued } from './sequencer.ts';

type Parts = Pick<WebhookParts, 'store' | 'events' | 'clock' | 'log'>;

/** Begins the attempts of due deliveries. Workers share them as they share due actors. */
export function dueDeliveries(parts: Parts, workers: Workers): DueActors<'delivery', EventDoc> {
  const { store, clock } = parts;
  const { records } = store;
  return new DueActors<'delivery', EventDoc>({
    scanner: { due: (_, partitions) => dueEvents(store, clock(), SCAN_MAX, partitions) },
    leases: storeLeases({ records, workers, leaseMs: DUE_LEASE_MS, clock }),
    workers,
    admit: async (docs) => ({ docs }),
    dispatch: (docs) => wake(parts, docs),
  });
}

/** The events whose deliveries are due, the longest due first. */
export function dueEvents(
  { records }: Pick<Store, 'records'>,
  now: Date,
  limit: number,
  partitions = EVERY_PARTITION,
): Promise<EventDoc[]> {
  const where = { partition: { in: partitions }, wakeAt: { lte: now }, quarantine: null };
  return records.find('events', { where, sort: [['wakeAt', 1]], limit });
}

/** Quarantines the deliveries that cannot be woken: every scan would find them again. */
async function wake({ store, events, clock }: Parts, docs: readonly EventDoc[]): Promise<void> {
  const broken = new Map(docs.map((doc) => [doc, unsoundnessOf(doc)] as const));
  const queued = docs.filter((doc) => broken.get(doc) === null && isQueued(doc));
  const before = await eventsBefore(store, queued);
  await Promise.all(
    docs.map(async (doc) => {
      const why = broken.get(doc) ?? null;
      if (why !== null) return events.quarantine(doc, why);
      const message = { type: isQueued(doc) && hasTurn(doc, before) ? 'turn.came' : 'delivery.due' } as const;
      const next = decide(doc, message, clock());
      if (next !== null) return void (await events.change(next, message));
      return events.quarantine(doc, `due since ${doc.wakeAt?.toISOString()}, but its machine takes no event`);
    }),
  );
}
