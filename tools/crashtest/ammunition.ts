export interface Strike {
  /**
   * `kill`: SIGKILL to a service process. `pause`: SIGSTOP and SIGCONT to one. `point`: a service process killed itself
   * at its fault point. `database`: the database was killed and started again. `chain`: the chain's node was paused.
   */
  readonly kind: (typeof STRIKE_KINDS)[number];
  /** The number of the service process, from 1; null: none. */
  readonly process: number | null;
  /** The wanted number of service processes at that moment. */
  readonly of: number;
  /** Milliseconds since the start. */
  readonly at: number;
  /** The duration of a pause or outage, milliseconds; for `point` the plan; null for `kill`. */
  readonly detail: number | string | null;
}

const STRIKE_KINDS = ['kill', 'point', 'pause', 'database', 'chain'] as const;

export function isKill({ kind }: Pick<Strike, 'kind'>): boolean {
  return kind === 'kill' || kind === 'point' || kind === 'database';
}

/** The counts of all kinds, as text for people. */
export function tally(strikes: readonly Strike[]): string {
  return STRIKE_KINDS.map((kind) => `${strikes.filter((each) => each.kind === kind).length} ${WORDS[kind]}`).join(', ');
}

const WORDS: Readonly<Record<Strike['kind'], string>> = {
  kill: 'killed',
  point: 'killed at a point',
  pause: 'paused',
  database: 'of the database',
  chain: 'of the chain',
};

/** The number of processes changes after this many kills. */
const KILLS_PER_FORMATION = 25;

/** The numbers of service processes, in turn. */
const FORMATIONS = [2, 4] as const;

/** The largest number of processes. */
export const PROCESSES_MOST = Math.max(...FORMATIONS);

/** Counts the kills of a run, and decides how many processes run. */
export class Ammunition {
  readonly #count: number;
  readonly #began = performance.now();
  readonly #onStrike: (strike: Strike) => void;
  #used = 0;

  /** @param count the kills of the run. Strikes that kill nobody are not counted. */
  constructor(count: number, onStrike: (strike: Strike) => void) {
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

  /** Reserves one kill. False: none is left. */
  take(): boolean {
    if (this.isSpent) return false;
    this.#used += 1;
    return true;
  }

  /** The wanted number of processes. It does not change after the last kill. */
  get processes(): number {
    const turn = Math.floor(Math.min(this.#used, this.#count - 1) / KILLS_PER_FORMATION);
    return FORMATIONS[turn % FORMATIONS.length] ?? PROCESSES_MOST;
  }

  /** True if the process with this number, from 1, is wanted. */
  isWanted(number: number): boolean {
    return number <= this.processes;
  }

  /** Reports a strike. `isTaken` false: the kill was not reserved, so it is counted now. */
  note(strike: Omit<Strike, 'at' | 'of'>, isTaken = true): void {
    if (!isTaken && isKill(strike) && !this.isSpent) this.#used += 1;
    this.#onStrike({ ...strike, of: this.processes, at: this.sinceBeginning() });
  }

  /** Milliseconds since the start. */
  sinceBeginning(): number {
    return Math.round(performance.now() - this.#began);
  }
}
