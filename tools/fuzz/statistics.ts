import type { Exchange } from './connection.ts';

/** Counts of the answers so far. */
export class Statistics {
  readonly #startedAt = performance.now();
  readonly #byOperation = new Map<string, Map<number, number>>();
  #requests = 0;
  #slowest: { readonly operationId: string; readonly ms: number } = { operationId: '', ms: 0 };

  /** `exchange` null: the connection closed without an answer. */
  count(operationId: string, exchange: Exchange | null): void {
    this.#requests += 1;
    const statuses = this.#byOperation.get(operationId) ?? new Map<number, number>();
    const status = exchange?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.#byOperation.set(operationId, statuses);
    if (exchange !== null && exchange.ms > this.#slowest.ms) this.#slowest = { operationId, ms: exchange.ms };
  }

  get requests(): number {
    return this.#requests;
  }

  get perSecond(): number {
    return this.#requests / ((performance.now() - this.#startedAt) / 1_000);
  }

  get slowest(): { readonly operationId: string; readonly ms: number } {
    return this.#slowest;
  }

  /** Operation → status → count; status 0: no answer. */
  table(): { [operationId: string]: { [status: string]: number } } {
    return Object.fromEntries(
      [...this.#byOperation].map(([operationId, statuses]) => [operationId, Object.fromEntries(statuses)]),
    );
  }
}
