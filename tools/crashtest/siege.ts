import { setTimeout as delay } from 'node:timers/promises';
import type { Ammunition } from './ammunition.ts';
import { chainPid } from './chain-process.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** The number of kills between two strikes at the database or the chain. */
const EVERY_KILLS = { least: 4, most: 10 } as const;

const CHECK_MS = 50;

/** The share of strikes at the database; the others hit the chain's node. */
const AT_DATABASE = 0.6;

/** Some pauses of the node are so long that callers give up. */
const CHAIN_STILL_MS = { least: 500, most: 6_000 } as const;

/**
 * A starting process searches for its database for 5 s. One that started during an outage may fail this long after it.
 */
const AFTERMATH_MS = 15_000;

/** Strikes at the database and the chain from time to time. */
export class Siege {
  readonly #world: World;
  readonly #ammunition: Ammunition;
  readonly #signal: AbortSignal;
  #awayUntil = 0;

  constructor(world: World, ammunition: Ammunition, signal: AbortSignal) {
    this.#world = world;
    this.#ammunition = ammunition;
    this.#signal = signal;
  }

  /** True if a process that did not come up may have missed its database or chain. */
  mayHaveBeenAway(): boolean {
    return performance.now() < this.#awayUntil;
  }

  /** Strikes until no kills are left. Database and chain are available when it resolves. */
  async lay(random: Random): Promise<void> {
    for (let next = 0; !this.#ammunition.isSpent; ) {
      next += random.integer(EVERY_KILLS.least, EVERY_KILLS.most);
      while (this.#ammunition.used < next && !this.#ammunition.isSpent) {
        await delay(CHECK_MS, undefined, { signal: this.#signal });
      }
      if (random.next() < AT_DATABASE) await this.#strikeDatabase();
      else await this.#strikeChain(random.integer(CHAIN_STILL_MS.least, CHAIN_STILL_MS.most));
    }
  }

  async #strikeDatabase(): Promise<void> {
    const { database, store } = this.#world;
    if (database === null || !this.#ammunition.take()) return;
    const began = performance.now();
    await this.#away(async () => {
      await database.killAndRestart();
      while (!(await store.ping())) await delay(CHECK_MS, undefined, { signal: this.#signal });
    });
    this.#ammunition.note({ kind: 'database', process: null, detail: Math.round(performance.now() - began) });
  }

  async #strikeChain(stillMs: number): Promise<void> {
    if (this.#ammunition.isSpent) return;
    const pid = await chainPid(this.#world.facts);
    await this.#away(async () => {
      process.kill(pid, 'SIGSTOP');
      // The node must continue even if the run ends here.
      await delay(stillMs, undefined, { signal: this.#signal }).finally(() => process.kill(pid, 'SIGCONT'));
    });
    this.#ammunition.note({ kind: 'chain', process: null, detail: stillMs });
  }

  async #away(strike: () => Promise<void>): Promise<void> {
    this.#awayUntil = Number.POSITIVE_INFINITY;
    try {
      await strike();
    } finally {
      this.#awayUntil = performance.now() + AFTERMATH_MS;
    }
  }
}
