import type { Machines } from '../../machines/versions.ts';
import type { Log } from '../observability/log.ts';
import type { ActorKind, StoredActor } from '../store/documents.ts';
import type { OutboxCollection, Store, Unrelayed, Where } from '../store/port.ts';
import { isActor } from './relay.ts';
import { isKnown, knownVersions } from './upcast.ts';

/** The most documents per scan. Interactive requests wait for at most one such batch. */
export const SCAN_MAX = 250;

export interface ScannerDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly log: Log;
  readonly machines: Machines;
}

/**
 * Finds documents with work for this process. Documents of an unknown version are left to processes that know it. If
 * they fill a scan, a second query asks for known versions only. No index sorts that query, so it is not the normal
 * one.
 */
export class Scanner {
  readonly #deps: ScannerDeps;
  readonly #reported = new Set<string>();

  constructor(deps: ScannerDeps) {
    this.#deps = deps;
  }

  /** The actors that have been due the longest. Empty: none for this process. */
  async due(kind: ActorKind, partitions: readonly number[]): Promise<readonly StoredActor[]> {
    const { store, clock } = this.#deps;
    const now = clock();
    const docs = await store.actors.due(kind, partitions, now, SCAN_MAX);
    const known = docs.filter((doc) => this.#isMine(doc));
    if (known.length === docs.length || docs.length < SCAN_MAX) return known;
    const where = { ...this.#known(kind, partitions), wakeAt: { lte: now } };
    const found = await store.actors.find(kind, { where, sort: [['wakeAt', 1]], limit: SCAN_MAX });
    return store.actors.load(
      kind,
      found.map(({ _id }) => _id),
    );
  }

  /** Outboxes that are due for the relay job (`relayAt`), the oldest first. */
  async leftBehind(from: OutboxCollection, partitions: readonly number[]): Promise<readonly Unrelayed[]> {
    const { store, clock } = this.#deps;
    const now = clock();
    const docs = await store.outboxes.unrelayed(from, partitions, now, SCAN_MAX);
    if (!isActor(from)) return docs;
    const known = docs.filter((doc) => this.#isMine({ kind: from, machineVersion: doc.machineVersion ?? 0 }));
    if (known.length === docs.length || docs.length < SCAN_MAX) return known;
    const where = { ...this.#known(from, partitions), relayAt: { lte: now } };
    return store.actors.find(from, { where, sort: [['relayAt', 1]], limit: SCAN_MAX });
  }

  /** False for an actor that newer code has upcast to a version that this process does not know. */
  async isMine(from: OutboxCollection, id: string): Promise<boolean> {
    const [doc] = isActor(from) ? await this.#deps.store.actors.load(from, [id]) : [];
    return doc === undefined || this.#isMine(doc);
  }

  #isMine(doc: Pick<StoredActor, 'kind' | 'machineVersion'>): boolean {
    const { machines, log } = this.#deps;
    if (isKnown(machines, doc)) return true;
    const { kind, machineVersion } = doc;
    const version = `${kind} ${machineVersion}`;
    if (!this.#reported.has(version)) {
      const known = knownVersions(machines, kind);
      log.warn({ kind, version: machineVersion, known }, 'documents of an unknown version are left to other processes');
    }
    this.#reported.add(version);
    return false;
  }

  #known(kind: ActorKind, partitions: readonly number[]): Where {
    const versions = knownVersions(this.#deps.machines, kind);
    return { partition: { in: partitions }, machineVersion: { in: versions }, quarantine: null };
  }
}
