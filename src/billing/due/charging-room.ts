import { setTimeout as delay } from 'node:timers/promises';
import type { Terms } from '../../../machines/subscription/context.ts';
import type { Engine } from '../../engine/engine.ts';
import { AT_ONCE, type Passage } from '../../engine/waker.ts';
import { cyclePaymentId } from '../../model/payment.ts';
import { subscriptionContextOf, termsOfNextCharge } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { BillingDeps } from '../deps.ts';

export type ChargingRoomDeps = Pick<BillingDeps, 'store' | 'catalog' | 'chains'> & {
  readonly engine: Pick<Engine, 'recall' | 'completed'>;
};

const LIMITS = {
  /**
   * The most waiting charges of a chain. They keep every signing queue busy for a while, so no more cycles need to be
   * opened.
   */
  waiting: 500,
  /**
   * The most batches on their way to the signing queues: the database works on one while this process works on the other.
   */
  batches: 2,
  /** If none of a chain's first waiting charges leaves within this time, the chain is stuck, and nobody waits for it. */
  stuckMs: 5_000,
  /** The pause between two checks of a chain, however many wait for it. */
  checkMs: 100,
  /** How long a batch may be held. Then its job's run continues without it, so that the run's other work is not delayed. */
  heldMs: 2_000,
  /**
   * How long to wait for the charges of woken subscriptions to reach the signing queues. An effect that hangs is not waited
   * for.
   */
  arriveMs: 5_000,
  /** A batch of at most this size is admitted at once, because somebody may be waiting for it. */
  few: 25,
} as const;

export type ChargingRoomLimits = { readonly [N in keyof typeof LIMITS]: number };

/**
 * Holds large batches of due subscriptions back until the signing queues have capacity. Otherwise all cycles would be opened
 * first and settled afterwards. This way they flow evenly and need little memory, and a merchant's request waits behind
 * hundreds of charges instead of all. It decides when a cycle is opened, never whether.
 */
export class ChargingRoom {
  readonly #deps: ChargingRoomDeps;
  readonly #limits: ChargingRoomLimits;
  readonly #fronts = new Map<number, Front>();
  readonly #checks = new Map<number, { readonly at: number; readonly hasRoom: Promise<boolean> }>();
  #opening = 0;

  constructor(deps: ChargingRoomDeps, limits: Partial<ChargingRoomLimits> = {}) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Wakes a small batch at once. Wakes a large one when there is capacity and few batches of this process are under way, and
   * resolves when its charges have reached the signing queues, or after a time-out. Resolves with false if there was no capacity
   * for some seconds; then none is woken.
   */
  readonly passage: Passage = async (docs, wake) => {
    const { few, heldMs, checkMs } = this.#limits;
    if (docs.length <= few) return AT_ONCE(docs, wake);
    const began = performance.now();
    const chainIds = this.#chainsOf(docs);
    while (!(await this.#enter(chainIds))) {
      if (performance.now() - began >= heldMs) return false;
      await delay(checkMs);
    }
    try {
      await wake();
      await this.#arrival(docs.map(({ _id }) => _id));
    } finally {
      this.#opening -= 1;
      this.#checks.clear();
    }
    return true;
  };

  /** Limits the batches, because charges on their way to the signing queues are not counted as waiting yet. */
  async #enter(chainIds: readonly number[]): Promise<boolean> {
    if (this.#isFull()) return false;
    const rooms = await Promise.all(chainIds.map((chainId) => this.#check(chainId)));
    if (rooms.includes(false) || this.#isFull()) return false;
    this.#opening += 1;
    return true;
  }

  #isFull(): boolean {
    return this.#opening >= this.#limits.batches;
  }

  async #arrival(ids: readonly string[]): Promise<void> {
    const isHere = new AbortController();
    const late = delay(this.#limits.arriveMs, undefined, { ref: false, signal: isHere.signal });
    await Promise.race([this.#withSenders(ids), late]).finally(() => isHere.abort());
  }

  /**
   * Resolves when the effects of these subscriptions, and of their open cycles' payments, have run: the charges are queued.
   */
  async #withSenders(ids: readonly string[]): Promise<void> {
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

  /** The enabled chains on which these subscriptions are charged. A subscription that cannot be read adds none. */
  #chainsOf(docs: readonly ActorDoc[]): number[] {
    const { catalog, chains } = this.#deps;
    const found = docs.flatMap((doc) => {
      const terms = termsOf(doc);
      const answer = terms && catalog.play(terms.tokenKey, doc.mode);
      return answer?.ok && chains.get(answer.play.chainId)?.enabled ? [answer.play.chainId] : [];
    });
    return [...new Set(found)];
  }

  /** Shares one check per chain among all callers within `checkMs`. */
  #check(chainId: number): Promise<boolean> {
    const now = performance.now();
    const known = this.#checks.get(chainId);
    if (known && now - known.at < this.#limits.checkMs) return known.hasRoom;
    const hasRoom = this.#hasRoom(chainId);
    this.#checks.set(chainId, { at: now, hasRoom });
    return hasRoom;
  }

  async #hasRoom(chainId: number): Promise<boolean> {
    const { waiting } = this.#limits;
    const [beyond] = await this.#waitingAt(chainId, { start: waiting, limit: 1 });
    if (beyond === undefined) {
      this.#fronts.delete(chainId);
      return true;
    }
    const front = this.#fronts.get(chainId);
    const standing = front ? await this.#standingOf(front) : 'over';
    if (standing === 'over') this.#fronts.set(chainId, await this.#frontOf(chainId));
    return standing === 'stuck';
  }

  /**
   * A front that nothing leaves for a while is stuck; a postponed charge has not left. If something has left it, the front
   * is over: it no longer shows whether the present charges move.
   */
  async #standingOf({ ids, since }: Front): Promise<'moving' | 'stuck' | 'over'> {
    const left = await this.#deps.store.records.count('charges', { _id: { in: ids }, state: 'waiting' });
    if (left === 0) return 'over';
    if (performance.now() - since <= this.#limits.stuckMs) return 'moving';
    return left === ids.length ? 'stuck' : 'over';
  }

  async #frontOf(chainId: number): Promise<Front> {
    const ids = await this.#waitingAt(chainId, { start: 0, limit: this.#limits.waiting });
    return { ids, since: performance.now() };
  }

  /** The ids of the charges at these positions of the queue. The cost grows with the positions. */
  async #waitingAt(chainId: number, places: { readonly start: number; readonly limit: number }): Promise<string[]> {
    const where = { chainId, state: 'waiting' };
    const found = await this.#deps.store.records.find('charges', { where, sort: [['notBefore', 1]], ...places });
    return found.map(({ _id }) => _id);
  }
}

/** The charges of a chain that had waited longest at `since`. */
interface Front {
  readonly ids: readonly string[];
  /** A moment of the process's monotonic clock, in milliseconds. */
  readonly since: number;
}

/** The terms of the next charge; null if the document cannot be read. */
function termsOf(doc: ActorDoc): Terms | null {
  try {
    return termsOfNextCharge(subscriptionContextOf(doc));
  } catch {
    return null;
  }
}
