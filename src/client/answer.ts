/** An answer with what stands beside its body. */
export interface Answered<T> {
  readonly data: T;
  readonly status: number;
  readonly requestId: string | null;
  /** The `idempotencyKey` had been used: `data` is what it made then, and nothing was made now (reference, section 8). */
  readonly replayed: boolean;
  /** It was used with another body then: check what your code sends twice under one key (docs/rules.md, "Payments"). */
  readonly mismatch: boolean;
  /** Names of fields and parameters that the service does not know and did not read: typing errors, mostly. */
  readonly ignoredFields: readonly string[];
}

/** Resolves with the body of the answer; rejects with a `TidelineError`. */
export type Answer<T> = Promise<T> & {
  /** The same answer with what stands beside its body. */
  withResponse(): Promise<Answered<T>>;
};

/** The answer that `work` is going to give. */
export function answerOf<T>(work: Promise<Answered<T>>): Answer<T> {
  const body = work.then(({ data }) => data);
  return Object.assign(body, {
    withResponse: () => {
      // Whoever asks for the whole answer learns of its failure there, and not a second time through the body.
      body.catch(() => undefined);
      return work;
    },
  });
}
