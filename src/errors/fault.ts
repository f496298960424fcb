/**
 * All errors that a caller can receive (reference, section 7): code → HTTP status. A message names the fault, the
 * expectation and the field; the caller may see it unchanged.
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
  store_unavailable: 503,
} as const;

export type FaultCode = keyof typeof FAULT_STATUS;

type Headers = { readonly [name: string]: string };

/**
 * The one error whose message reaches a caller; any other error becomes an `internal` one with a message that reveals
 * nothing. The field `internal` is only for the log and never leaves the process otherwise.
 */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly internal: string | null;
  readonly headers: Headers;

  constructor(
    code: FaultCode,
    message: string,
    options: { internal?: string; cause?: unknown; headers?: Headers } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.internal = options.internal ?? null;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return FAULT_STATUS[this.code];
  }
}

/**
 * The one 404: byte-identical for a missing resource and for one of another merchant or environment. `field`: the
 * field of the body that has the id.
 */
export function notFound(field?: string): Fault {
  const which = field === undefined ? '' : `: ${field} names nothing of this merchant in this mode`;
  return new Fault('not_found', `Not found${which}`);
}

/** 400; the message names the field. */
export function invalid(message: string): Fault {
  return new Fault('invalid', message);
}

export function conflict(message: string): Fault {
  return new Fault('conflict', message);
}

/** A limit that is exhausted until `resetAt`. */
export interface Exhausted {
  readonly limit: number;
  readonly resetAt: Date;
  readonly isDay: boolean;
}

/** 429 with the headers of the reference, section 8. */
export function limitExceeded({ limit, resetAt, isDay }: Exhausted, now: Date, what?: string): Fault {
  const waitMs = resetAt.getTime() - now.getTime();
  const headers = {
    'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(resetAt.getTime() / 1000),
    ...(isDay ? { 'X-RateLimit-Scope': 'day' } : {}),
  };
  return new Fault('limit_exceeded', `Rate limit exceeded${what === undefined ? '' : `: ${what}`}`, { headers });
}

/** A fault of the service itself. The caller learns nothing of it; the log has `internal`. */
export function internalFault(internal: string, cause?: unknown): Fault {
  return new Fault('internal', 'Internal error', { internal, cause });
}
