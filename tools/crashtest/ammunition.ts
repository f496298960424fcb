/**
 * `kill`: SIGKILL to a service process. `point`: a service process killed itself at its fault point. `pause`: SIGSTOP
 * and SIGCONT to one. `database`: the database was killed and started again. `chain`: the chain's node was paused.
 */
export type Strike = 'kill' | 'point' | 'pause' | 'database' | 'chain';

const WORDS: Readonly<Record<Strike, string>> = {
  kill: 'killed',
  point: 'killed at a point',
  pause: 'paused',
  database: 'of the database',
  chain: 'of the chain',
};

function isKill(strike: Strike): boolean {
  return strike === 'kill' || strike === 'point' || strike === 'database';
}

/** Counts the strikes of a run, and ends it after so many kills. */
export class Ammunition {
  readonly #count: number;
  readonly #onStrike: (ammunition: Ammunition) => void;
  readonly #strikes: Strike[] = [];
  #used = 0;

  /** @param count the kills of the run. Strikes that kill nobody are not counted. */
  constructor(count: number, onStrike: (ammunition: Ammunition) => void) {
    this.#count = count;
    this.#onStrike = onStrike;
  }

  /** The number of kills, started ones included. */
  get used(): number {
    return this.#used;
  }

  get isSpent(): boolean {
    return this.#used >= this.#count;
  }

  /** The number of kills that were made. */
  get kills(): number {
    return this.#strikes.filter(isKill).length;
  }

  get strikes(): number {
    return this.#strikes.length;
  }

  /** The counts of all kinds, as text for people. */
  get tally(): string {
    return Object.entries(WORDS)
      .map(([kind, words]) => `${this.#strikes.filter((each) => each === kind).length} ${words}`)
      .join(', ');
  }

  /** Reserves one kill. False: none is left. */
  take(): boolean {
    if (this.isSpent) return false;
    this.#used += 1;
    return true;
  }

  /** Reports a strike. `isTaken` false: the kill was not reserved, so it is counted now. */
  note(strike: Strike, isTaken = true): void {
    if (!isTaken && !this.isSpent) this.#used += 1;
    this.#strikes.push(strike);
    this.#onStrike(this);
  }
}
