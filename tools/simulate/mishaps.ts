import type { Random } from '../crashtest/random.ts';

/**
 * What can go wrong at a port, or on a chain, and how often at most per occasion: which of them a run has, and how often, its
 * seed decides.
 *
 * `down`: it was not done, and that is known. `lost`: it was done, its answer never came. `unknown`: it was not done, and
 * nobody knows. `twice`: it was done two times. `partly`: of many writes some were made. `behind`: a node has not heard yet.
 * `full`: a block takes few of those that wait. `leap`: slots pass in which nothing lands. `lapse`: so many that what has been
 * lost expires before anybody sends it again.
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

/** How many of the kinds a run has. */
const SHARE = 0.6;

/** Draws what goes wrong, and counts it. */
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

  /** From now on things go wrong. */
  begin(): void {
    this.#isOn = true;
  }

  /** From now on nothing goes wrong any more. */
  end(): void {
    this.#isOn = false;
  }

  /** How often each has happened; what has not is not there. */
  get counts(): { readonly [name: string]: number } {
    return Object.fromEntries(this.#counts);
  }

  /** The one of these that happens now, if one does. */
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
