import type { EventOf } from '../../machines/versions.ts';
import type { Log } from '../observability/log.ts';
import type { ActorDoc, ActorKind } from '../store/documents.ts';
import { SCAN_MAX, type Scanner } from './scanner.ts';
import type { Dispatch, Dispatched } from './types.ts';
import { UnknownVersion } from './upcast.ts';

/** A due actor and the event that its time means, with every fact that the machine needs. */
export type Wake = { readonly [K in ActorKind]: { readonly kind: K; readonly event: EventOf<K> } }[ActorKind];

/** Why the domain will not have it woken any more: it is quarantined for somebody to check. */
export interface Objection {
  readonly objection: string;
}

/** Each batch goes through it: it calls `wake`, now or when it sees fit, or leaves these for another time: false. */
export type Passage = (docs: readonly ActorDoc[], wake: () => Promise<void>) => Promise<boolean>;

/** Holds nothing back. */
export const AT_ONCE: Passage = async (_, wake) => {
  await wake();
  return true;
};

type Waking = Dispatch & { readonly seen: ActorDoc };

export interface WakerDeps {
  readonly scanner: Scanner;
  readonly clock: () => Date;
  readonly log: Log;
  readonly dispatch: (request: Dispatch) => Promise<Dispatched>;
  /** Why a document cannot be trusted, or null: the domain is asked about sound ones only. */
  readonly unsoundness: (doc: ActorDoc) => string | null;
  /** The domain's answer to "its time has come", one per document in their order. */
  readonly wakesFor: (docs: readonly ActorDoc[]) => Promise<readonly (Wake | Objection)[]>;
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

  /**
   * Wakes what is due in these partitions, batch by batch; resolves with how many, when a scan finds no more or the passage
   * is closed.
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
   * Wakes an actor whose commit said that it is due already, without waiting for the next tick: so a first charge follows an
   * approval within a fraction of a second. The tick finding it too changes nothing.
   */
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

  /** One that fails keeps no other from being woken. Throws when all have failed: then it is not theirs. */
  async #wake(docs: readonly ActorDoc[]): Promise<void> {
    const asked = this.#deps.clock();
    const requests = await this.#requestsFor(await this.#sound(docs));
    const results = await Promise.allSettled(
      requests.map(async (request) => this.#check(await this.#deps.dispatch(request), request.seen, asked)),
    );
    this.#requireSome(results);
  }

  /** Quarantines what cannot be trusted. */
  async #sound(docs: readonly ActorDoc[]): Promise<ActorDoc[]> {
    const judged = docs.map((doc) => ({ doc, why: this.#deps.unsoundness(doc) }));
    await Promise.all(judged.map(({ doc, why }) => why !== null && this.#deps.quarantine(doc, why)));
    return judged.filter(({ why }) => why === null).map(({ doc }) => doc);
  }

  /** Asked about all at once; where that fails about each alone, so that one of them is not the failure of all. */
  async #requestsFor(docs: readonly ActorDoc[]): Promise<Waking[]> {
    try {
      const wakes = await this.#deps.wakesFor(docs);
      if (wakes.length !== docs.length) throw new Error(`${wakes.length} wakings for ${docs.length} actors`);
      const waking = await Promise.all(docs.map((doc, index) => this.#wakingOf(doc, wakes[index])));
      return waking.filter((each) => each !== null);
    } catch (error) {
      if (docs.length === 1) throw error;
      const alone = await Promise.allSettled(docs.map((doc) => this.#requestsFor([doc])));
      this.#requireSome(alone);
      return alone.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    }
  }

  async #wakingOf(doc: ActorDoc, wake: Wake | Objection | undefined): Promise<Waking | null> {
    if (!wake) return null;
    if (!('objection' in wake)) return { ...wake, id: doc._id, by: 'wake', seen: doc };
    await this.#deps.quarantine(doc, wake.objection);
    return null;
  }

  /** What newer code has taken up since the scan is no failure. */
  #requireSome(results: readonly PromiseSettledResult<unknown>[]): void {
    const failed = results
      .filter((result) => result.status === 'rejected')
      .filter(({ reason }) => !(reason instanceof UnknownVersion));
    for (const { reason } of failed) this.#deps.log.warn({ err: reason }, 'an actor that is due could not be woken');
    const [first] = failed;
    if (first && failed.length === results.length) throw first.reason;
  }

  /**
   * A machine that was due when it was asked, and is so as before, would be found again for ever: it is quarantined. One that
   * had moved on since it was seen was asked what another state's time means: what it makes of that says nothing of its own.
   */
  async #check(result: Dispatched, seen: ActorDoc, asked: Date): Promise<void> {
    if (result.kind !== 'refused' && result.kind !== 'taken') return;
    const { rev, wakeAt } = result.doc;
    if (wakeAt === null || wakeAt > asked) return;
    const isChanged = result.kind === 'taken' && result.changed;
    const hasMoved = isChanged ? wakeAt.getTime() !== seen.wakeAt?.getTime() : rev !== seen.rev;
    if (hasMoved) return;
    await this.#deps.quarantine(result.doc, `due since ${wakeAt.toISOString()}, but its machine takes no waking`);
  }
}
