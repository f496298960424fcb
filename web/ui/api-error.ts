/** An answer that is no success. */
export class ApiError extends Error {
  /** 0: nothing answered. */
  readonly status: number;
  /** Seconds after which the same may be asked again; null: nobody said. */
  readonly retryAfter: number | null;

  constructor(status: number, message: string, retryAfter: number | null = null) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
