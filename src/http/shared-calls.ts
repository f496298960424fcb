/** The result of one call for several callers: `place` is the number of this caller among all `of`, from 1. */
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
 * One call at a time per key: callers that arrive during a call share the next one. Nobody gets the result of a call that
 * began before they arrived, so a result is never stale. A caller that is alone does not wait.
 */
export class SharedCalls<R> {
  readonly #waiting = new Map<string, Waiting<R>[]>();

  /** `run` gets the number of callers of its call. All callers of a key must pass the same `run`. */
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
