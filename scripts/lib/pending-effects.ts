import { isActor } from '../../src/engine/relay.ts';
import { pendingOf } from '../../src/store/actors/log-actors.ts';
import type { OutboxDoc, OutboxItem, OutboxSource } from '../../src/store/documents.ts';
import type { Store } from '../../src/store/port.ts';

export const OUTBOX_SOURCES: readonly OutboxSource[] = ['subscription', 'payment', 'offers', 'customers', 'wallets'];

/** A document with effects that have not run. */
export interface Pending {
  readonly _id: string;
  readonly outbox: readonly OutboxItem[];
  /** How often the first of them has failed. */
  readonly failures: number;
}

/** The documents with effects in these outboxes; not those in quarantine, whose effects wait for their release. */
export async function pendingIn(
  store: Store,
  source: OutboxSource,
  outboxes: readonly OutboxDoc[],
): Promise<readonly Pending[]> {
  const entries = outboxes.flatMap((outbox) => outbox.entries.filter(({ effects }) => effects.length > 0));
  const ids = [...new Set(entries.map(({ documentId }) => documentId))];
  const owners = isActor(source)
    ? (await store.actors.load(source, ids)).filter(({ quarantine }) => quarantine === null)
    : (await store.records.get(source, ids)).map(({ _id, outboxId }) => {
        return {
          _id,
          ...pendingOf(
            _id,
            outboxes.find((outbox) => outbox._id === outboxId),
          ),
        };
      });
  return owners.filter(({ outbox }) => outbox.length > 0);
}
