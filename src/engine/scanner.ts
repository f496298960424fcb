import type { Machines } from '../../machines/versions.ts';
import type { ActorKind, OutboxDoc, OutboxSource, StoredActor } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { isActor } from './relay.ts';
import { isKnown, knownVersions } from './upcast.ts';

/** The most documents per scan. Interactive requests wait for at most one such batch. */
export const SCAN_MAX = 250;

/** The most outboxes per scan; one may have the effects of as many commits as one write makes. */
const OUTBOXES_MAX = 10;

export interface ScannerDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly machines: Machines;
}

/**
 * Finds documents with work for this process. Those of an unknown version are left to processes that know it.
 */
export class Scanner {
  readonly #deps: ScannerDeps;

  constructor(deps: ScannerDeps) {
    this.#deps = deps;
  }

  /** The actors that have been due the longest. Empty: none for this process. */
  async due(kind: ActorKind, partitions: readonly number[]): Promise<readonly StoredActor[]> {
    const { store, clock, machines } = this.#deps;
    const versions = knownVersions(machines, kind);
    const docs = await store.actors.due({ kind, partitions, versions, now: clock(), limit: SCAN_MAX });
    return docs.filter((doc) => isKnown(machines, doc));
  }

  /** Outboxes whose effects any process may run, the oldest first. */
  async leftBehind(source: OutboxSource): Promise<readonly OutboxDoc[]> {
    const { store, clock, machines } = this.#deps;
    const ofVersion = isActor(source) ? { version: { in: knownVersions(machines, source) } } : {};
    const where = { source, at: { lte: clock() }, ...ofVersion };
    return store.records.find('outbox', { where, sort: [['at', 1]], ties: 'any', limit: OUTBOXES_MAX });
  }

  /** Those of the documents that newer code has not upcast to a version that this process does not know. */
  async mine(from: OutboxSource, ids: readonly string[]): Promise<readonly string[]> {
    const docs = isActor(from) ? await this.#deps.store.actors.load(from, ids) : [];
    const unknown = new Set(docs.flatMap((doc) => (isKnown(this.#deps.machines, doc) ? [] : [doc._id])));
    return ids.filter((id) => !unknown.has(id));
  }
}
