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
   * The most waiting charges of a chain. They keep every signing queue busy for a while, so no more cycles need to be
   * opened.
   */
  waiting: 500,
  /**
   * The most batches on their way to the signing queues: the database works on one while this process works on the
   * other.
   */
  batches: 2,
  /**
   * If none of a chain's first waiting charges leaves within this time, the chain is stuck, and nobody waits for it.
   */
  stuckMs: 5_000,
  /** The pause between two checks of a chain, however many wait for it. */
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

export type ChargeAdmissionLimits = { readonly [N in keyof typeof LIMITS]: number };

/**
 * Admits large batches of due subscriptions only while the signing queues have capacity. Otherwise all cycles would be
 * opened first and settled afterwards. This way they flow evenly and need little memory, and a merchant's request waits
 * behind hundreds of charges instead of all. It decides when a cycle is opened, never whether.
 */
export class ChargeAdmission {
  readonly #deps: ChargeAdmissionDeps;
  readonly #limits: ChargeAdmissionLimits;
  readonly #heads = new Map<number, QueueHead>();
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

  /** Shares one check per chain among all callers within `checkMs`. */
  #check(chainId: number): Promise<boolean> {
    const now = performance.now();
    const known = this.#checks.get(chainId);
    if (known && now - known.at < this.#limits.checkMs) return known.isOpen;
    const isOpen = this.#isOpen(chainId);
    this.#checks.set(chainId, { at: now, isOpen });
    return isOpen;
  }

  /** True if few charges wait, or if the chain is stuck: its charges do not move, and others need not wait for that. */
  async #isOpen(chainId: number): Promise<boolean> {
    const { waiting } = this.#limits;
    const [beyond] = await this.#waitingAt(chainId, { start: waiting, limit: 1 });
    if (beyond === undefined) {
      this.#heads.delete(chainId);
      return true;
    }
    const head = this.#heads.get(chainId);
    const progress = head ? await this.#progressOf(head) : 'over';
    if (progress === 'over') this.#heads.set(chainId, await this.#headOf(chainId));
    return progress === 'stuck';
  }

  /**
   * A head of the queue that nothing leaves for a while is stuck; a postponed charge has not left. If something has
   * left it, the head is over: it does not show whether the present charges move.
   */
  async #progressOf({ ids, since }: QueueHead): Promise<'moving' | 'stuck' | 'over'> {
    const left = await this.#deps.store.records.count('charges', { _id: { in: ids }, state: 'waiting' });
    if (left === 0) return 'over';
    if (performance.now() - since <= this.#limits.stuckMs) return 'moving';
    return left === ids.length ? 'stuck' : 'over';
  }

  async #headOf(chainId: number): Promise<QueueHead> {
    const ids = await this.#waitingAt(chainId, { start: 0, limit: this.#limits.waiting });
    return { ids, since: performance.now() };
  }

  /** The ids of the charges at these positions of the queue. The cost grows with the positions. */
  async #waitingAt(chainId: number, page: { readonly start: number; readonly limit: number }): Promise<string[]> {
    const where = { chainId, state: 'waiting' };
    const found = await this.#deps.store.records.find('charges', { where, sort: [['notBefore', 1]], ...page });
    return found.map(({ _id }) => _id);
  }
}

/** The charges of a chain that had waited longest at `since`. */
interface QueueHead {
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
