import type { EventOf } from '../../machines/versions.ts';
import type { ActorDoc, ActorKind } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import type { Dispatch, Dispatched, Log } from './types.ts';

/** How many due actors one scan brings; interactive requests wait no longer than one such batch. */
const SCAN_MAX = 250;

/** A due actor and the event that its time means, with every fact that the machine needs. */
export type Wake = { readonly [K in ActorKind]: { readonly kind: K; readonly event: EventOf<K> } }[ActorKind];

export interface WakerDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly log: Log;
  readonly dispatchMany: (requests: readonly Dispatch[]) => Promise<readonly Dispatched[]>;
  /** The domain's answer to "its time has come", one per document in their order. */
  readonly wakesFor: (docs: readonly ActorDoc[]) => Promise<readonly Wake[]>;
  readonly quarantine: (doc: ActorDoc, reason: string) => Promise<void>;
}

/** Finds what is due and says so to it. What is due is found by an index: cost follows what is due, not what there is. */
export class Waker {
  readonly #deps: WakerDeps;
  #soon = new Map<string, ActorDoc>();
  #pumping = false;

  constructor(deps: WakerDeps) {
    this.#deps = deps;
  }

  /** Wakes everything due in these partitions; resolves with how many, when a scan finds no more. */
  async wakeDue(kind: ActorKind, partitions: readonly number[], onBatch: () => Promise<void>): Promise<number> {
    let woken = 0;
    for (;;) {
      const docs = await this.#deps.store.actors.due(kind, partitions, this.#deps.clock(), SCAN_MAX);
      if (docs.length === 0) return woken;
      await this.#wake(docs);
      woken += docs.length;
      await onBatch();
    }
  }

  /** Wakes an actor whose commit said that it is due already, without waiting for the next tick. */
  soon(doc: ActorDoc): void {
    this.#soon.set(doc._id, doc);
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => void this.#pumpSoon());
  }

  isBusy(): boolean {
    return this.#pumping;
  }

  async #pumpSoon(): Promise<void> {
    while (this.#soon.size > 0) {
      const docs = [...this.#soon.values()].slice(0, SCAN_MAX);
      for (const doc of docs) this.#soon.delete(doc._id);
      try {
        await this.#wake(docs);
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'could not wake at once; the next tick will');
      }
    }
    this.#pumping = false;
  }

  async #wake(docs: readonly ActorDoc[]): Promise<void> {
    const wakes = await this.#deps.wakesFor(docs);
    const requests = docs.flatMap((doc, index) => {
      const wake = wakes[index];
      return wake ? [{ ...wake, id: doc._id, by: 'wake', seen: doc } as const] : [];
    });
    const results = await this.#deps.dispatchMany(requests);
    await Promise.all(results.map((result) => this.#check(result)));
  }

  /** A machine that is due and takes no waking would be found again for ever: it is set aside. */
  async #check(result: Dispatched): Promise<void> {
    if (result.kind !== 'refused' && (result.kind !== 'taken' || result.changed)) return;
    const { doc } = result;
    if (doc.wakeAt === null || doc.wakeAt > this.#deps.clock()) return;
    await this.#deps.quarantine(doc, `due since ${doc.wakeAt.toISOString()}, but its machine takes no waking`);
  }
}
