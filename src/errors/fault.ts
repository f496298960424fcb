/**
 * The catalogue of everything that can be answered with an error (reference, section 7): code → HTTP status. A message says
 * what was wrong, what was expected, and where; it may be shown to the caller as it stands.
 */
const FAULT_STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  limit_exceeded: 429,
  internal: 500,
  rate_unavailable: 503,
} as const;

export type FaultCode = keyof typeof FAULT_STATUS;

/**
 * The one error that a caller is answered with; any other becomes an `internal` one, whose message tells nothing. `internal` of
 * a fault is for the log alone and never leaves the process otherwise.
 */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly internal: string | null;

  constructor(code: FaultCode, message: string, options: { internal?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.internal = options.internal ?? null;
  }

  get status(): number {
    return FAULT_STATUS[this.code];
  }
}

/** The one 404: byte-identical for what does not exist and for what belongs to another merchant or environment. */
export function notFound(): Fault {
  return new Fault('not_found', 'Not found');
}

/** 400 naming the field. */
export function invalid(message: string): Fault {
  return new Fault('invalid', message);
}

export function conflict(message: string): Fault {
  return new Fault('conflict', message);
}
