/** What a {@link TidelineError} says beside its message. */
export interface Failure {
  /** What was asked for, as `POST /offers`. */
  readonly operation: string;
  /** The HTTP status; 0 where no answer came. It is the one thing to branch on (reference, section 7). */
  readonly status: number;
  /** What the service calls this request in its log: name it when you ask for help. Null where no answer came. */
  readonly requestId: string | null;
  /** Seconds after which a call may be let in again; null where the service says nothing of it. */
  readonly retryAfter: number | null;
}

/** A call that did not succeed: refused, failed in the service, or never answered. `message` is for people, and may change. */
export class TidelineError extends Error implements Failure {
  override readonly name = 'TidelineError';
  readonly operation: string;
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfter: number | null;

  constructor(message: string, { operation, status, requestId, retryAfter }: Failure, options?: ErrorOptions) {
    super(message, options);
    this.operation = operation;
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}
