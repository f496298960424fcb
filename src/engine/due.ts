import { type ActorKind, EVERY_PARTITION, type StoredActor } from '../store/documents.ts';
import type { Leases, Workers } from '../store/workers.ts';
import { SCAN_MAX } from './scanner.ts';

/** The names of the leases on groups of partitions begin with this. */
export const DUE_LEASES = 'due:';

/** A group of partitions is left to other processes if its holder finishes no batch for this long, in milliseconds. */
export const DUE_LEASE_MS = 15_000;

/** If many actors are due, workers share the partitions in this many groups: two for each of ten workers. */
const GROUPS = 20;

/** How many groups one process works on side by side: while one waits for the database, another one works. */
const GROUPS_AT_ONCE = 4;

/** The due actors that are dispatched now. The others stay due. */
interface Admission<Doc> {
  readonly docs: readonly Doc[];
  /** Called after the dispatch, also after one that failed. The next batch of the same partitions waits for it. */
  readonly dispatched?: () => Promise<void>;
}

/** Decides which due actors of one kind are dispatched now, perhaps after a wait. None: the run of this kind ends. */
export type Admit<Doc = StoredActor> = (docs: readonly Doc[]) => Promise<Admission<Doc>>;

export interface DueDeps<Kind = ActorKind, Doc = StoredActor> {
  /** Finds those that have been due the longest, at most `SCAN_MAX`. */
  readonly scanner: { due(kind: Kind, partitions: readonly number[]): Promise<readonly Doc[]> };
  readonly leases: Pick<Leases, 'take' | 'release'>;
  /** The workers that can be called to `dispatchShare` of a kind. */
  readonly workers: Pick<Workers, 'calling' | 'isCalled'>;
  readonly admit: Admit<Doc>;
  /** Whether one scan found too many for one process. Default: `SCAN_MAX` documents are. */
  readonly isFull?: (docs: readonly Doc[]) => boolean;
  /** Dispatches its event to each actor. Throws if all fail. */
  readonly dispatch: (docs: readonly Doc[]) => Promise<void>;
}

/** Called before each batch, so that a job can renew its lock. */
export type Touch = () => Promise<void>;

const NO_LOCK: Touch = async () => {};

/** Dispatches due documents: by default actors. An index finds them, so the cost depends on their number alone. */
export class DueActors<Kind extends string = ActorKind, Doc = StoredActor> {
  readonly #deps: DueDeps<Kind, Doc>;
  readonly #underWay = new Set<Kind>();

  constructor(deps: DueDeps<Kind, Doc>) {
    this.#deps = deps;
  }

  /**
   * Dispatches the due actors of a kind until none is left, or none is admitted. Resolves with their number; 0 if this
   * process is doing it already. One scan without a lease finds the few of an ordinary tick. If it is full, this
   * process calls the other workers, and all share the partitions by leases.
   * @throws the first failure of a batch, when all groups have ended: a group that fails delays no other
   */
  dispatchAll(kind: Kind, touch: Touch = NO_LOCK): Promise<number> {
    return this.#once(kind, () => this.#dispatchAll(kind, touch));
  }

  /** Dispatches those in the partitions of this process, when another one has called. Otherwise as `dispatchAll`. */
  dispatchShare(kind: Kind): Promise<number> {
    return this.#once(kind, () => this.#dispatchGroups(kind, NO_LOCK));
  }

  async #once(kind: Kind, run: () => Promise<number>): Promise<number> {
    if (this.#underWay.has(kind)) return 0;
    this.#underWay.add(kind);
    try {
      return await run();
    } finally {
      this.#underWay.delete(kind);
    }
  }

  async #dispatchAll(kind: Kind, touch: Touch): Promise<number> {
    let count = 0;
    const { workers, isFull = ({ length }) => length === SCAN_MAX } = this.#deps;
    // While the others do their shares, a scan of all partitions would find what they are working on.
    while (!workers.isCalled(kind)) {
      const docs = await this.#deps.scanner.due(kind, EVERY_PARTITION);
      if (isFull(docs)) return count + (await workers.calling(kind, () => this.#dispatchGroups(kind, touch)));
      const dispatched = await this.#dispatchAdmitted(docs, touch);
      if (dispatched === 0) return count;
      count += dispatched;
    }
    return count + (await this.#dispatchGroups(kind, touch));
  }

  async #dispatchGroups(kind: Kind, touch: Touch): Promise<number> {
    const groups = Array.from({ length: GROUPS }, (_, group) => group).values();
    const failures: unknown[] = [];
    let count = 0;
    const dispatchSome = async (): Promise<void> => {
      for (const group of groups) {
        try {
          const { dispatched, isAdmitted } = await this.#dispatchGroup(kind, group, touch);
          count += dispatched;
          if (!isAdmitted) return;
        } catch (error) {
          failures.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: GROUPS_AT_ONCE }, dispatchSome));
    if (failures.length > 0) throw failures[0];
    return count;
  }

  /** Does nothing if another process has the lease, and stops when the lease is lost. */
  async #dispatchGroup(kind: Kind, group: number, touch: Touch) {
    const { leases, scanner, workers } = this.#deps;
    const partitions = EVERY_PARTITION.filter((partition) => partition % GROUPS === group);
    const lease = `${DUE_LEASES}${kind}:${group}`;
    let dispatched = 0;
    if (!(await leases.take(lease))) return { dispatched, isAdmitted: true };
    try {
      do {
        const docs = await scanner.due(kind, partitions);
        if (docs.length === 0) return { dispatched, isAdmitted: true };
        const admitted = await workers.calling(kind, () => this.#dispatchAdmitted(docs, touch));
        if (admitted === 0) return { dispatched, isAdmitted: false };
        dispatched += admitted;
      } while (await leases.take(lease));
      return { dispatched, isAdmitted: true };
    } finally {
      await leases.release(lease);
    }
  }

  async #dispatchAdmitted(docs: readonly Doc[], touch: Touch): Promise<number> {
    if (docs.length === 0) return 0;
    await touch();
    const admission = await this.#deps.admit(docs);
    if (admission.docs.length === 0) return 0;
    try {
      await this.#deps.dispatch(admission.docs);
    } finally {
      await admission.dispatched?.();
    }
    return admission.docs.length;
  }
}
