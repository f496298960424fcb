/** What several callers got by one call: `place` is the caller's among the `of` that shared it, from 1. */
export interface Shared<R> {
  readonly result: R;
  readonly place: number;
  readonly of: number;
}

interface Waiting<R> {
  readonly resolve: (shared: Shared<R>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One call at a time for each key: whoever comes while a call is under way shares the next one with all who come in the
 * meantime. Nobody is ever given the result of a call that had begun before they came, so what is read is never stale;
 * a caller who comes alone waits for nobody.
 */
export class SharedCalls<R> {
  readonly #waiting = new Map<string, Waiting<R>[]>();

  /** `run` gets the number of callers that the call is for. All callers of a key must bring the same `run`. */
  join(key: string, run: (callers: number) => Promise<R>): Promise<Shared<R>> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(key);
      if (waiting !== undefined) {
        waiting.push({ resolve, reject });
        return;
      }
      this.#waiting.set(key, []);
      void this.#serve(key, [{ resolve, reject }], run);
    });
  }

  async #serve(key: string, first: readonly Waiting<R>[], run: (callers: number) => Promise<R>): Promise<void> {
    let callers = first;
    while (callers.length > 0) {
      await callFor(callers, run);
      callers = this.#waiting.get(key) ?? [];
      if (callers.length > 0) this.#waiting.set(key, []);
    }
    this.#waiting.delete(key);
  }
}

async function callFor<R>(callers: readonly Waiting<R>[], run: (callers: number) => Promise<R>): Promise<void> {
  try {
    const result = await run(callers.length);
    for (const [index, { resolve }] of callers.entries()) resolve({ result, place: index + 1, of: callers.length });
  } catch (error) {
    for (const { reject } of callers) reject(error);
  }
}
