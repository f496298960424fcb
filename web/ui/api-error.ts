/** An answer without success. */
export class ApiError extends Error {
  /** 0: no answer came. */
  readonly status: number;
  /** Seconds until the same request is allowed again; null: unknown. */
  readonly retryAfter: number | null;

  constructor(status: number, message: string, retryAfter: number | null = null) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
