/** An answer with the status and headers beside its body. */
export interface Answered<T> {
  readonly data: T;
  readonly status: number;
  readonly requestId: string | null;
  /**
   * The `idempotencyKey` was used before: `data` is the resource that it made then, and nothing was made now
   * (reference, section 8).
   */
  readonly replayed: boolean;
  /** The first use had another body: check which calls of your code share one key (docs/rules.md, "Payments"). */
  readonly mismatch: boolean;
  /** Names of fields and parameters that the service does not know and did not read; usually typing errors. */
  readonly ignoredFields: readonly string[];
}

/** Resolves with the body of the answer; rejects with a `TidelineError`. */
export type Answer<T> = Promise<T> & {
  /** The same answer with its status and headers. */
  withResponse(): Promise<Answered<T>>;
};

export function answerOf<T>(work: Promise<Answered<T>>): Answer<T> {
  const body = work.then(({ data }) => data);
  return Object.assign(body, {
    withResponse: () => {
      // The caller receives the error from this promise, so the unused one must not report it again.
      body.catch(() => undefined);
      return work;
    },
  });
}
