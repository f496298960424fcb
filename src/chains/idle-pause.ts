import { doubled } from '../../machines/rules/backoff.ts';

/** How far it grows: nobody waits longer for what nobody was woken for. Milliseconds. */
const MOST_MS = 1_000;

/**
 * How long a loop rests that finds nothing to do: at first `firstMs`, and twice as long after each further check in vain, up to
 * a second. What is longer from the beginning stays as it is. Checks of a service at rest are most of what it asks its database.
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
