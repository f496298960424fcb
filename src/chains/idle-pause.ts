import { doubled } from '../../machines/rules/backoff.ts';

/** The longest pause, in milliseconds. No work waits longer for a loop that nobody woke. */
const MOST_MS = 1_000;

/**
 * The pause of a loop that finds nothing to do: `firstMs` at first, doubled after each further check in vain, up to a
 * second. A first pause above a second stays as it is. An idle service asks its database mostly for these checks.
 */
export class IdlePause {
  readonly #firstMs: number;
  #inVain = 0;

  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  /** After a check in vain. */
  next(): number {
    const pause = doubled(this.#firstMs, this.#inVain, Math.max(this.#firstMs, MOST_MS));
    this.#inVain += 1;
    return pause;
  }

  /** Something was found. */
  reset(): void {
    this.#inVain = 0;
  }
}
