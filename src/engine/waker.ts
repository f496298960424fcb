import type { EventOf } from '../../machines/versions.ts';
import type { Log } from '../observability/log.ts';
import type { ActorDoc, ActorKind, StoredActor } from '../store/documents.ts';
import { SCAN_MAX, type Scanner } from './scanner.ts';
import type { Dispatch, Dispatched } from './types.ts';
import { UnknownVersion } from './upcast.ts';

/** The event for a due actor, with every fact that the machine needs. */
export type Wake = { readonly [K in ActorKind]: { readonly kind: K; readonly event: EventOf<K> } }[ActorKind];

/** Why the domain refuses to wake an actor. The waker then quarantines it. */
export interface Objection {
  readonly objection: string;
}

/** Decides when a batch is woken: it calls `wake` now or later. False: the batch is left for another time. */
export type Passage = (docs: readonly ActorDoc[], wake: () => Promise<void>) => Promise<boolean>;

/** Wakes every batch at once. */
export const AT_ONCE: Passage = async (_, wake) => {
  await wake();
  return true;
};

/** The most actors in a log line. */
const NAMED_MAX = 10;

type Waking = Dispatch & { readonly seen: StoredActor };

export interface WakerDeps {
  readonly scanner: Scanner;
  readonly clock: () => Date;
  readonly log: Log;
  readonly dispatch: (request: Dispatch) => Promise<Dispatched>;
  /** Why a document is unsound, or null. The domain sees only sound documents. */
  readonly unsoundness: (doc: StoredActor) => string | null;
  /** The domain's wake, or objection, for each due document, in the same order. */
  readonly wakesFor: (docs: readonly ActorDoc[]) => Promise<readonly (Wake | Objection)[]>;
  readonly quarantine: (doc: ActorDoc, reason: string) => Promise<void>;
}

/** Wakes due actors. An index finds them, so the cost depends on the number of due actors only. */
export class Waker {
  readonly #deps: WakerDeps;
  #soon = new Map<string, StoredActor>();
  #pumping = false;

  constructor(deps: WakerDeps) {
    this.#deps = deps;
  }

  /**
   * Wakes the due actors of these partitions, batch by batch. Resolves with their number when a scan finds no more or the admission
   * returns false.
   */
  async wakeDue(kind: ActorKind, partitions: readonly number[], passage: Passage = AT_ONCE): Promise<number> {
    let woken = 0;
    for (;;) {
      const docs = await this.#deps.scanner.due(kind, partitions);
      if (docs.length === 0) return woken;
      if (!(await passage(docs, () => this.#wake(docs)))) return woken;
      woken += docs.length;
    }
  }

  /**
   * Wakes an actor that is due at its commit, without waiting for the next tick, so that a first charge follows an approval within a
   * fraction of a second. The tick may find the actor too; that changes nothing.
   */
  soon(doc: StoredActor): void {
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
        const actors = docs.slice(0, NAMED_MAX).map(({ _id }) => _id);
        this.#deps.log.warn(
          { actors, count: docs.length, err: error },
          'actors were not woken; the next tick wakes them',
        );
      }
    }
    this.#pumping = false;
  }

  /** Wakes each actor independently. Throws if all fail, because then the cause is none of theirs. */
  async #wake(docs: readonly StoredActor[]): Promise<void> {
    const asked = this.#deps.clock();
    const requests = await this.#requestsFor(await this.#sound(docs));
    const results = await Promise.allSettled(
      requests.map(async (request) => this.#check(await this.#deps.dispatch(request), request.seen, asked)),
    );
    this.#requireSome(requests, results);
  }

  /** The sound documents. Quarantines the others. */
  async #sound(docs: readonly StoredActor[]): Promise<StoredActor[]> {
    const judged = docs.map((doc) => ({ doc, why: this.#deps.unsoundness(doc) }));
    await Promise.all(judged.map(({ doc, why }) => why !== null && this.#deps.quarantine(doc, why)));
    return judged.filter(({ why }) => why === null).map(({ doc }) => doc);
  }

  /** Asks the domain about all at once, and about each alone if that fails, so that one bad document does not fail all. */
  async #requestsFor(docs: readonly StoredActor[]): Promise<Waking[]> {
    try {
      const wakes = await this.#deps.wakesFor(docs);
      if (wakes.length !== docs.length) throw new Error(`${wakes.length} wakings for ${docs.length} actors`);
      const waking = await Promise.all(docs.map((doc, index) => this.#wakingOf(doc, wakes[index])));
      return waking.filter((each) => each !== null);
    } catch (error) {
      if (docs.length === 1) throw error;
      const alone = await Promise.allSettled(docs.map((doc) => this.#requestsFor([doc])));
      const ids = docs.map(({ _id: id }) => ({ id }));
      this.#requireSome(ids, alone);
      return alone.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    }
  }

  async #wakingOf(doc: StoredActor, wake: Wake | Objection | undefined): Promise<Waking | null> {
    if (!wake) return null;
    if (!('objection' in wake)) return { ...wake, id: doc._id, by: 'wake', seen: doc };
    await this.#deps.quarantine(doc, wake.objection);
    return null;
  }

  /** Throws if all have failed. An actor that newer code has upcast since the scan has not failed. */
  #requireSome(actors: readonly { readonly id: string }[], results: readonly PromiseSettledResult<unknown>[]): void {
    const failed: unknown[] = [];
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled' || result.reason instanceof UnknownVersion) continue;
      failed.push(result.reason);
      const actor = actors[index]?.id;
      this.#deps.log.warn({ actor, err: result.reason }, 'a due actor was not woken; the next tick tries again');
    }
    if (failed.length > 0 && failed.length === results.length) throw failed[0];
  }

  /**
   * Quarantines an actor that is still due, as before its wake: every scan would find it again. An actor that changed since the scan
   * got the wake of an older state, so it is left for the next scan.
   */
  async #check(result: Dispatched, seen: StoredActor, asked: Date): Promise<void> {
    if (result.kind !== 'refused' && result.kind !== 'taken') return;
    const { rev, wakeAt } = result.doc;
    if (wakeAt === null || wakeAt > asked) return;
    const isChanged = result.kind === 'taken' && result.changed;
    const hasMoved = isChanged ? wakeAt.getTime() !== seen.wakeAt?.getTime() : rev !== seen.rev;
    if (hasMoved) return;
    await this.#deps.quarantine(result.doc, `due since ${wakeAt.toISOString()}, but its machine takes no waking`);
  }
}
