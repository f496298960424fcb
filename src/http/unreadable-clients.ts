import { UNREADABLE_CLIENT_FACTOR } from './limits.ts';

const LASTS_MS = 10 * 60_000;

const SENTENCE = `the proxy's X-Forwarded-For has no readable address of the client: all clients without one have \
${UNREADABLE_CLIENT_FACTOR} times the limit of one, and payments by transfer have no limit per day`;

/** Notes that this process gets requests whose client the proxies do not name, for `/health`. */
export class UnreadableClients {
  readonly #now: () => number;
  #seenAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note(): void {
    this.#seenAt = this.#now();
  }

  /** For people; null if no such request has come within the last ten minutes. */
  get trouble(): string | null {
    return this.#now() - this.#seenAt <= LASTS_MS ? SENTENCE : null;
  }
}
