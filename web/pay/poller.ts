const POLL_MS = 1_000;
const POLL_SLOW_MS = 4_000;
/** After this many polls without a change, the page polls less often. */
const PATIENCE = 60;

/** Polls as long as the state can change: soon at first, less often when nothing changes. */
export class Poller {
  readonly #poll: () => Promise<string | null>;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isChecking = false;
  #alike = 0;
  #last = '';

  /** `poll` returns its result, or null when polling is over. */
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
