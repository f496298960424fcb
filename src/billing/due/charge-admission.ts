import { setTimeout as delay } from 'node:timers/promises';
import type { Admit } from '../../engine/due.ts';
import type { Engine } from '../../engine/engine.ts';
import { cyclePaymentId } from '../../model/payment.ts';
import { subscriptionContextOf, termsOfNextCharge } from '../../model/subscription.ts';
import type { ActorDoc, StoredActor } from '../../store/documents.ts';
import type { BillingDeps } from '../deps.ts';

export type ChargeAdmissionDeps = Pick<BillingDeps, 'store' | 'catalog' | 'chains'> & {
  readonly engine: Pick<Engine, 'recall' | 'completed'>;
};

const LIMITS = {
  /**
   * The most waiting charges of a chain for each of its senders. They keep every signing queue busy for a while, so no
   * more cycles need to be opened.
   */
  waiting: 500,
  /**
   * The most batches on their way to the signing queues: the database works on one while this process works on the
   * other.
   */
  batches: 2,
  /**
   * If none of a sample of a chain's waiting charges leaves within this time, the chain is stuck, and nobody waits for
   * it.
   */
  stuckMs: 5_000,
  /**
   * The pause between two checks of a chain for each of its senders, however many wait for it: a check counts the
   * charges of all senders.
   */
  checkMs: 100,
  /**
   * How long a batch may wait. Then its job's run continues without it, so that the run's other work is not delayed.
   */
  heldMs: 2_000,
  /**
   * How long to wait for the charges of admitted subscriptions to reach the signing queues. An effect that hangs is not
   * waited for.
   */
  arriveMs: 5_000,
  /** A batch of at most this size is admitted at once, because somebody may be waiting for it. */
  few: 25,
} as const;

/** How many waiting charges show whether a chain moves. */
const SAMPLE = 50;

export type ChargeAdmissionLimits = { readonly [N in keyof typeof LIMITS]: number };

/**
 * Admits large batches of due subscriptions only while the signing queues have capacity. Otherwise all cycles would be
 * opened first and settled afterwards. This way they flow evenly and need little memory, and a merchant's request waits
 * behind hundreds of charges instead of all. It decides when a cycle is opened, never whether.
 */
export class ChargeAdmission {
  readonly #deps: ChargeAdmissionDeps;
  readonly #limits: ChargeAdmissionLimits;
  readonly #samples = new Map<number, Sample>();
  readonly #checks = new Map<number, { readonly at: number; readonly isOpen: Promise<boolean> }>();
  #batches = 0;

  constructor(deps: ChargeAdmissionDeps, limits: Partial<ChargeAdmissionLimits> = {}) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Admits other actors and small batches at once. Of a large batch, it admits the subscriptions whose chains can take
   * more, as soon as there are any and few batches of this process are on their way; none if that takes some seconds.
   * The next batch may follow when their charges have reached the signing queues, or after a time-out.
   */
  readonly admit: Admit = async (docs) => {
    const { few, heldMs, checkMs } = this.#limits;
    if (docs.length <= few || docs[0]?.kind !== 'subscription') return { docs };
    const began = performance.now();
    for (;;) {
      const admitted = await this.#admitNow(docs);
      if (admitted.length > 0) return { docs: admitted, dispatched: () => this.#arrival(admitted) };
      if (performance.now() - began >= heldMs) return { docs: [] };
      await delay(checkMs);
    }
  };

  /** Limits the batches, because charges on their way to the signing queues are not counted as waiting yet. */
  async #admitNow(docs: readonly StoredActor[]): Promise<readonly StoredActor[]> {
    if (this.#isFull()) return [];
    const chainIds = docs.map((doc) => this.#chainOf(doc));
    const open = new Map<number | null, boolean>([[null, true]]);
    await Promise.all([...new Set(chainIds)].map(async (id) => id !== null && open.set(id, await this.#check(id))));
    const admitted = docs.filter((_, index) => open.get(chainIds[index] ?? null));
    if (admitted.length === 0 || this.#isFull()) return [];
    this.#batches += 1;
    return admitted;
  }

  #isFull(): boolean {
    return this.#batches >= this.#limits.batches;
  }

  async #arrival(docs: readonly StoredActor[]): Promise<void> {
    const isHere = new AbortController();
    const late = delay(this.#limits.arriveMs, undefined, { ref: false, signal: isHere.signal });
    try {
      await Promise.race([this.#queued(docs.map(({ _id }) => _id)), late]).finally(() => isHere.abort());
    } finally {
      this.#batches -= 1;
      this.#checks.clear();
    }
  }

  /**
   * Resolves when the effects of these subscriptions, and of their open cycles' payments, have run: the charges are
   * queued.
   */
  async #queued(ids: readonly string[]): Promise<void> {
    const { engine } = this.#deps;
    await Promise.all(ids.map((id) => engine.completed(id)));
    const docs = await engine.recall('subscription', ids);
    const sound = docs.filter(({ quarantine }) => quarantine === null);
    const opened = sound.flatMap((doc) => {
      const { open } = subscriptionContextOf(doc);
      return open === null ? [] : [cyclePaymentId(doc._id, open.number)];
    });
    await Promise.all(opened.map((id) => engine.completed(id)));
  }

  /** The enabled chain of the subscription's next charge. Null: there is none, or the document cannot be read. */
  #chainOf(doc: ActorDoc): number | null {
    const { catalog, chains } = this.#deps;
    const tokenKey = tokenOfNextCharge(doc);
    const answer = tokenKey === null ? null : catalog.play(tokenKey, doc.mode);
    return answer?.ok && chains.get(answer.play.chainId)?.enabled ? answer.play.chainId : null;
  }

  #sendersOf(chainId: number): number {
    return this.#deps.chains.get(chainId)?.senderCount ?? 1;
  }

  /** Shares one check per chain among all callers during its pause. */
  #check(chainId: number): Promise<boolean> {
    const now = performance.now();
    const known = this.#checks.get(chainId);
    if (known && now - known.at < this.#limits.checkMs * this.#sendersOf(chainId)) return known.isOpen;
    const isOpen = this.#isOpen(chainId);
    this.#checks.set(chainId, { at: now, isOpen });
    return isOpen;
  }

  /**
   * True if few charges wait, or if the chain is stuck: its charges do not move, and others need not wait for that.
   * While many wait and the chain may be moving, the database reads an index and no document.
   */
  async #isOpen(chainId: number): Promise<boolean> {
    const { waiting, stuckMs } = this.#limits;
    const most = waiting * this.#sendersOf(chainId);
    const count = await this.#deps.store.records.count('charges', { chainId, state: 'waiting' }, most + 1);
    if (count <= most) {
      this.#samples.delete(chainId);
      return true;
    }
    const sample = this.#samples.get(chainId);
    if (sample && performance.now() - sample.since <= stuckMs) return false;
    if (sample && (await this.#isStuck(sample))) return true;
    this.#samples.set(chainId, await this.#sampleOf(chainId, most));
    return false;
  }

  /** True if no charge has left. A postponed charge has not left. */
  async #isStuck({ ids }: Sample): Promise<boolean> {
    const left = await this.#deps.store.records.count('charges', { _id: { in: ids }, state: 'waiting' });
    return left === ids.length;
  }

  /** From the front and from the middle: at the front there may be charges that no queue can take. */
  async #sampleOf(chainId: number, most: number): Promise<Sample> {
    const query = { where: { chainId, state: 'waiting' }, sort: [['notBefore', 1]], limit: SAMPLE / 2 } as const;
    const starts = [0, Math.floor(most / 2)];
    const { records } = this.#deps.store;
    const found = await Promise.all(starts.map((start) => records.find('charges', { ...query, start })));
    return { ids: [...new Set(found.flat().map(({ _id }) => _id))], since: performance.now() };
  }
}

/** Some of the longest waiting charges of a chain at `since`. */
interface Sample {
  readonly ids: readonly string[];
  /** A moment of the process's monotonic clock, in milliseconds. */
  readonly since: number;
}

/** Null: the document cannot be read. */
function tokenOfNextCharge(doc: ActorDoc): string | null {
  try {
    return termsOfNextCharge(subscriptionContextOf(doc)).tokenKey;
  } catch {
    return null;
  }
}
