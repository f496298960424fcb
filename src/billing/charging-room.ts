import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from '../chains/port.ts';
import type { Engine } from '../engine/engine.ts';
import { AT_ONCE, type Passage } from '../engine/waker.ts';
import type { BillingDeps } from './deps.ts';
import { cyclePaymentId } from './effects/open-charge.ts';
import { contextOf } from './subscriptions/record.ts';

export type ChargingRoomDeps = Pick<BillingDeps, 'store' | 'chains'> & {
  readonly engine: Pick<Engine, 'recall' | 'settled'>;
};

const LIMITS = {
  /** So many charges that wait for a sender keep every lane busy for a while: more need not be opened meanwhile. */
  waiting: 500,
  /** So many batches may be on their way to the senders: while the database is at work on one, this process is on the other. */
  batches: 2,
  /** A chain whose oldest waiting charge has been the same for so long does not move: nobody waits for it. */
  stuckMs: 5_000,
  /** How often is looked, however many wait for it. */
  lookMs: 100,
  /** How long a batch is held before its job's run ends without it, so that the run's other work is not held too. */
  heldMs: 2_000,
  /** How long is waited for those who have been woken to reach the senders: an effect that hangs is not waited for. */
  arriveMs: 5_000,
  /** So few are let through at once: somebody may be waiting for them. */
  few: 25,
} as const;

export type ChargingRoomLimits = { readonly [N in keyof typeof LIMITS]: number };

/**
 * Holds back what falls due in large numbers at once until the senders have room for it. Without that all of it would be
 * opened first, and be settled only then; so it goes through evenly, in little memory, and what a merchant asks for meanwhile
 * stands behind hundreds of charges and not behind all. It decides when something is opened, never whether.
 */
export class ChargingRoom {
  readonly #deps: ChargingRoomDeps;
  readonly #limits: ChargingRoomLimits;
  readonly #oldest = new Map<number, { readonly id: string; readonly since: number }>();
  #opening = 0;
  #looking: Promise<boolean> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ChargingRoomDeps, limits: Partial<ChargingRoomLimits> = {}) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Wakes a few at once; many when there is room for more and not too many are on their way to the senders from this process
   * already, and resolves when theirs are there, or should be. False: there has been no room for some seconds, and none is woken.
   */
  readonly passage: Passage = async (ids, wake) => {
    const { few, heldMs, lookMs } = this.#limits;
    if (ids.length <= few) return AT_ONCE(ids, wake);
    const began = performance.now();
    while (!(await this.#enter())) {
      if (performance.now() - began >= heldMs) return false;
      await delay(lookMs);
    }
    try {
      await wake();
      await this.#arrival(ids);
    } finally {
      this.#opening -= 1;
      this.#looking = null;
    }
    return true;
  };

  /** Few batches at a time: what is on its way to the senders is not seen to wait for them yet. */
  async #enter(): Promise<boolean> {
    if (this.#isFull() || !(await this.#look()) || this.#isFull()) return false;
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

  /** Resolves when the effects of their cycles, and those of the cycles' payments, have run: the charges wait for a sender. */
  async #withSenders(ids: readonly string[]): Promise<void> {
    const { engine } = this.#deps;
    await Promise.all(ids.map((id) => engine.settled(id)));
    const docs = await engine.recall('subscription', ids);
    const sound = docs.filter(({ quarantine }) => quarantine === null);
    const opened = sound.flatMap((doc) => {
      const { open } = contextOf(doc);
      return open === null ? [] : [cyclePaymentId(doc._id, open.number)];
    });
    await Promise.all(opened.map((id) => engine.settled(id)));
  }

  /** One look for all who ask within a moment. */
  #look(): Promise<boolean> {
    const now = performance.now();
    if (this.#looking === null || now - this.#lookedAt >= this.#limits.lookMs) {
      this.#lookedAt = now;
      const enabled = this.#deps.chains.all().filter((chain) => chain.enabled);
      this.#looking = Promise.all(enabled.map((chain) => this.#hasRoom(chain))).then((all) =>
        all.every((each) => each),
      );
    }
    return this.#looking;
  }

  async #hasRoom({ chainId }: Chain): Promise<boolean> {
    if ((await this.#waitingAt(chainId, this.#limits.waiting)) === null) return true;
    const first = await this.#waitingAt(chainId, 0);
    const now = performance.now();
    const known = this.#oldest.get(chainId);
    if (first === null) return true;
    if (known?.id !== first) {
      this.#oldest.set(chainId, { id: first, since: now });
      return false;
    }
    return now - known.since > this.#limits.stuckMs;
  }

  /** The id of the charge at this place of the queue; the cost is bounded by the place. */
  async #waitingAt(chainId: number, place: number): Promise<string | null> {
    const where = { chainId, state: 'waiting' };
    const query = { where, sort: [['notBefore', 1]], start: place, limit: 1 } as const;
    const [found] = await this.#deps.store.records.find('charges', query);
    return found?._id ?? null;
  }
}
