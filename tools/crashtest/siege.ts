import { setTimeout as delay } from 'node:timers/promises';
import type { Ammunition } from './ammunition.ts';
import { chainPid } from './chain-process.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** So many kills between two blows against what the processes of the service stand on. */
const EVERY_KILLS = { least: 4, most: 10 } as const;

const CHECK_MS = 50;

/** The others are at the node of the chain. */
const AT_DATABASE = 0.6;

/** A node that does not answer for so long is one that some calls have been given up of. */
const CHAIN_STILL_MS = { least: 500, most: 6_000 } as const;

/** A process that starts searches for its database for 5 s; one that began to in the middle of an outage may still give up after it. */
const AFTERMATH_MS = 15_000;

/** What the processes of the service stand on, struck from time to time. */
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

  /** Whether a process that has not come up may have found its database or its chain away. */
  mayHaveBeenAway(): boolean {
    return performance.now() < this.#awayUntil;
  }

  /** Strikes until there is nothing left to do so with; everything is there again when it resolves. */
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
      // It must not be left standing, whatever ends this.
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
