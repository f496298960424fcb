import type { Random } from '../crashtest/random.ts';

/**
 * Faults at ports and on chains, with their highest probability per occasion. The seed decides which of them a run has,
 * and how often.
 *
 * `down`: the work was not done, and the caller knows it. `lost`: it was done, but the answer was lost. `unknown`: it
 * was not done, but the caller cannot know. `twice`: it was done two times, at once or late. `partly`: some of several
 * writes were made.
 * `behind`: a node does not have the newest state. `full`: a block takes few of the waiting transactions. `leap`: slots
 * pass without transactions. `lapse`: so many slots pass that lost transactions expire before they are sent again.
 */
const MOST = {
  'crash.before': 0.004,
  'crash.after': 0.004,
  'crash.point': 0.02,
  'store.down': 0.02,
  'store.lost': 0.02,
  'store.unknown': 0.01,
  'store.twice': 0.05,
  'store.partly': 0.1,
  'store.slow': 0.02,
  'rpc.down': 0.05,
  'rpc.lost': 0.05,
  'rpc.slow': 0.03,
  'rpc.behind': 0.1,
  'post.down': 0.2,
  'post.lost': 0.1,
  'post.error': 0.2,
  'post.hang': 0.05,
  'chain.drop': 0.1,
  'chain.full': 0.2,
  'chain.leap': 0.01,
  'chain.reorg': 0.15,
  'chain.fees': 0.05,
  'chain.lapse': 1,
} as const;

export type Mishap = keyof typeof MOST;

/** The share of the kinds that a run has. */
const SHARE = 0.6;

/** Draws faults, and counts them. */
export class Mishaps {
  readonly random: Random;
  readonly #rates = new Map<string, number>();
  readonly #counts = new Map<Mishap, number>();
  #isOn = false;

  constructor(random: Random) {
    this.random = random;
    for (const [name, most] of Object.entries(MOST)) {
      this.#rates.set(name, random.next() < SHARE ? most * random.next() : 0);
    }
  }

  /** Turns faults on. */
  begin(): void {
    this.#isOn = true;
  }

  /** Turns faults off. */
  end(): void {
    this.#isOn = false;
  }

  /** How often each fault happened; without those that did not. */
  get counts(): { readonly [name: string]: number } {
    return Object.fromEntries(this.#counts);
  }

  /** The fault among these that happens now, or null. */
  draw<M extends Mishap>(...names: readonly M[]): M | null {
    if (!this.#isOn) return null;
    let drawn = this.random.next();
    for (const name of names) {
      const rate = this.#rates.get(name) ?? 0;
      if (drawn < rate) {
        this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
        return name;
      }
      drawn -= rate;
    }
    return null;
  }
}
