/** The properties of a {@link TidelineError} beside its message. */
export interface Failure {
  /** The operation, such as `POST /offers`. */
  readonly operation: string;
  /** The HTTP status; 0: no answer came. Branch on this and on nothing else (reference, section 7). */
  readonly status: number;
  /** The id of this request in the service's log: name it when you ask for help. null: no answer came. */
  readonly requestId: string | null;
  /** Seconds until a call may succeed again; null: the service does not name a time. */
  readonly retryAfter: number | null;
}

/**
 * A call without success: refused, failed in the service, or never answered. `message` is for people, and may change.
 */
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
