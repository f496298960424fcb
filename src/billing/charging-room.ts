import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from '../chains/port.ts';
import type { BillingDeps } from './deps.ts';

export type ChargingRoomDeps = Pick<BillingDeps, 'store' | 'chains'>;

/** So many charges that wait for a sender keep every lane busy for a while: more need not be opened meanwhile. */
const WAITING_MAX = 500;
/** A chain whose oldest waiting charge has been the same for so long does not move: nobody waits for it. */
const STUCK_MS = 5_000;
/** How often is looked, however many wait for it, and how long a batch is held at most: its job's lock is short. */
const LOOK_MS = 100;
const HELD_MAX_MS = 4_000;

/** So few are let through at once: somebody may be waiting for them. */
const FEW = 25;

/**
 * Holds back what falls due in large numbers at once until the senders have room for it. Without that all of it would be
 * opened first, and be settled only then; so it goes through evenly, in little memory, and what a merchant asks for meanwhile
 * stands behind hundreds of charges and not behind all. Nothing depends on it: it is a delay of seconds.
 */
export class ChargingRoom {
  readonly #deps: ChargingRoomDeps;
  readonly #oldest = new Map<number, { readonly id: string; readonly since: number }>();
  #looking: Promise<boolean> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ChargingRoomDeps) {
    this.#deps = deps;
  }

  /** Resolves when there is room for so many more, or after four seconds. */
  async for(count: number): Promise<void> {
    if (count <= FEW) return;
    const began = performance.now();
    while (!(await this.#look()) && performance.now() - began < HELD_MAX_MS) await delay(LOOK_MS);
  }

  /** One look for all who ask within a moment. */
  #look(): Promise<boolean> {
    const now = performance.now();
    if (this.#looking === null || now - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = now;
      const enabled = this.#deps.chains.all().filter((chain) => chain.enabled);
      this.#looking = Promise.all(enabled.map((chain) => this.#hasRoom(chain))).then((all) =>
        all.every((each) => each),
      );
    }
    return this.#looking;
  }

  async #hasRoom({ chainId }: Chain): Promise<boolean> {
    if ((await this.#waitingAt(chainId, WAITING_MAX)) === null) return true;
    const first = await this.#waitingAt(chainId, 0);
    const now = performance.now();
    const known = this.#oldest.get(chainId);
    if (first === null) return true;
    if (known?.id !== first) {
      this.#oldest.set(chainId, { id: first, since: now });
      return false;
    }
    return now - known.since > STUCK_MS;
  }

  /** The id of the charge at this place of the queue; the cost is bounded by the place. */
  async #waitingAt(chainId: number, place: number): Promise<string | null> {
    const where = { chainId, state: 'waiting' };
    const query = { where, sort: [['notBefore', 1]], start: place, limit: 1 } as const;
    const [found] = await this.#deps.store.records.find('charges', query);
    return found?._id ?? null;
  }
}
