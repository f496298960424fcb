import { setTimeout as delay } from 'node:timers/promises';
import type { Terms } from '../../machines/subscription/context.ts';
import type { Engine } from '../engine/engine.ts';
import { AT_ONCE, type Passage } from '../engine/waker.ts';
import type { ActorDoc } from '../store/documents.ts';
import type { BillingDeps } from './deps.ts';
import { cyclePaymentId } from './effects/open-charge.ts';
import { termsOfNextCharge } from './subscriptions/next-terms.ts';
import { contextOf } from './subscriptions/record.ts';

export type ChargingRoomDeps = Pick<BillingDeps, 'store' | 'catalog' | 'chains'> & {
  readonly engine: Pick<Engine, 'recall' | 'settled'>;
};

const LIMITS = {
  /** So many charges that wait for a sender keep every signing queue busy for a while: more need not be opened meanwhile. */
  waiting: 500,
  /** So many batches may be on their way to the senders: while the database is at work on one, this process is on the other. */
  batches: 2,
  /** A chain whose longest waiting charges all wait on for so long does not move: nobody waits for it. */
  stuckMs: 5_000,
  /** How often is checked, however many wait for it. */
  checkMs: 100,
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
  readonly #fronts = new Map<number, Front>();
  readonly #checks = new Map<number, { readonly at: number; readonly hasRoom: Promise<boolean> }>();
  #opening = 0;

  constructor(deps: ChargingRoomDeps, limits: Partial<ChargingRoomLimits> = {}) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Wakes a few at once; many when there is room for more and not too many are on their way to the senders from this process
   * already, and resolves when theirs are there, or should be. False: there has been no room for some seconds, and none is woken.
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

  /** Few batches at a time: what is on its way to the senders is not seen to wait for them yet. */
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

  /** The enabled chains on which these subscriptions are charged. One that cannot be read is charged on none. */
  #chainsOf(docs: readonly ActorDoc[]): number[] {
    const { catalog, chains } = this.#deps;
    const found = docs.flatMap((doc) => {
      const terms = termsOf(doc);
      const answer = terms && catalog.play(terms.tokenKey, doc.mode);
      return answer?.ok && chains.get(answer.play.chainId)?.enabled ? [answer.play.chainId] : [];
    });
    return [...new Set(found)];
  }

  /** One check a chain for all who ask within a moment. */
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
   * A front of which nothing leaves for a while is stuck: what is postponed has not left, however often it is checked. One of
   * which something has left is over then, whatever of it waits on: it says nothing of those who wait now.
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

  /** The ids of the charges at these places of the queue; the cost is bounded by the places. */
  async #waitingAt(chainId: number, places: { readonly start: number; readonly limit: number }): Promise<string[]> {
    const where = { chainId, state: 'waiting' };
    const found = await this.#deps.store.records.find('charges', { where, sort: [['notBefore', 1]], ...places });
    return found.map(({ _id }) => _id);
  }
}

/** The charges of a chain that had waited longest when they were found. */
interface Front {
  readonly ids: readonly string[];
  /** When that was. */
  readonly since: number;
}

/** Of the charge that comes next. */
function termsOf(doc: ActorDoc): Terms | null {
  try {
    return termsOfNextCharge(contextOf(doc));
  } catch {
    return null;
  }
}
