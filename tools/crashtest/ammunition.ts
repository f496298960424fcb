import { isKill, type Strike } from './strike.ts';

/** So many kills with one number of processes, then with the next, and from the beginning again. */
const KILLS_PER_FORMATION = 25;

/** How many processes of the service there are to be, in turn. */
const FORMATIONS = [2, 4] as const;

/** The most that there ever are. */
export const PROCESSES_MOST = Math.max(...FORMATIONS);

/** What is left to be struck with, and against how many processes. */
export class Ammunition {
  readonly #count: number;
  readonly #began = performance.now();
  readonly #onStrike: (strike: Strike) => void;
  #used = 0;

  /** `count`: after so many kills there is nothing left. Whatever kills nobody is free. */
  constructor(count: number, onStrike: (strike: Strike) => void) {
    this.#count = count;
    this.#onStrike = onStrike;
  }

  /** How many kills there have been, or are about to be. */
  get used(): number {
    return this.#used;
  }

  get isSpent(): boolean {
    return this.#used >= this.#count;
  }

  /** Takes what one kill needs; false: there is nothing left. */
  take(): boolean {
    if (this.isSpent) return false;
    this.#used += 1;
    return true;
  }

  /** How many processes there are to be now. Those that are left at the end stay. */
  get processes(): number {
    const turn = Math.floor(Math.min(this.#used, this.#count - 1) / KILLS_PER_FORMATION);
    return FORMATIONS[turn % FORMATIONS.length] ?? PROCESSES_MOST;
  }

  /** Whether a process of this number, from 1, is one of them. */
  isWanted(number: number): boolean {
    return number <= this.processes;
  }

  /** Says that a strike has been made. A kill that was not taken before is counted here. */
  note(strike: Omit<Strike, 'at' | 'of'>, isTaken = true): void {
    if (!isTaken && isKill(strike) && !this.isSpent) this.#used += 1;
    this.#onStrike({ ...strike, of: this.processes, at: this.sinceBeginning() });
  }

  /** Milliseconds. */
  sinceBeginning(): number {
    return Math.round(performance.now() - this.#began);
  }
}
