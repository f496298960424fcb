const POLL_MS = 1_000;
const POLL_SLOW_MS = 4_000;
/** After so many polls without a change the page asks less often. */
const PATIENCE = 60;

/** Asks again and again for as long as something can come of it: soon at first, less often when nothing happens. */
export class Poller {
  readonly #poll: () => Promise<string | null>;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isChecking = false;
  #alike = 0;
  #last = '';

  /** `poll` answers with its result, or with null when polling is over. */
  constructor(poll: () => Promise<string | null>) {
    this.#poll = poll;
  }

  start(): void {
    this.#alike = 0;
    if (!this.#isChecking) this.#next();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #next(): void {
    this.#timer ??= setTimeout(() => void this.#tick(), this.#alike > PATIENCE ? POLL_SLOW_MS : POLL_MS);
  }

  async #tick(): Promise<void> {
    this.#timer = null;
    this.#isChecking = true;
    const seen = await this.#poll().finally(() => {
      this.#isChecking = false;
    });
    if (seen === null) return;
    this.#alike = seen === this.#last ? this.#alike + 1 : 0;
    this.#last = seen;
    this.#next();
  }
}
