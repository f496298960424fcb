/**
 * The meaning of an error (reference, section 7), unless its endpoint defines its own, and an example of its message.
 */
interface ErrorProse {
  /** Its name in `components.responses`. */
  readonly name: string;
  /** As HTTP has it. */
  readonly title: string;
  readonly means: string;
  /** What the caller can do about it. */
  readonly remedy: string;
  readonly example: string;
}

const ERRORS: { readonly [status: number]: ErrorProse } = {
  400: {
    name: 'BadRequest',
    title: 'Bad Request',
    means: 'The request is not valid, or a rule forbids it. The message names only the first problem.',
    remedy: 'Correct what the message names, and send the call again.',
    example: 'limit must be between 1 and 100',
  },
  401: {
    name: 'Unauthorized',
    title: 'Unauthorized',
    means: 'No `X-API-Key`, an unknown or revoked one, or the key of a suspended merchant: always the same answer.',
    remedy: 'Check that `X-API-Key` has the whole key of this service, and that the key is not revoked.',
    example: 'Unauthorized',
  },
  403: {
    name: 'Forbidden',
    title: 'Forbidden',
    means: 'A live key on an endpoint of the sandbox. This check comes before all limits.',
    remedy: 'Use a test key: the sandbox has no live mode.',
    example: 'This endpoint takes test keys only',
  },
  404: {
    name: 'NotFound',
    title: 'Not Found',
    means: 'The resource does not exist, or belongs to another merchant or environment.',
    remedy: 'Check the id, and that it is of the mode of your key.',
    example: 'Not found',
  },
  409: {
    name: 'Conflict',
    title: 'Conflict',
    means: 'The state of the resource forbids this; the message names the expected state.',
    remedy: 'Use another value for what the message names, or bring the resource into the state that it names.',
    example: 'Subscription is canceled; cancel needs pending, active or past_due',
  },
  429: {
    name: 'TooManyRequests',
    title: 'Too Many Requests',
    means:
      'The limit of this endpoint for the minute or for the day (UTC) is exceeded. This call has been counted too.',
    remedy:
      'Wait for the seconds of `Retry-After`, then send the call again; the client does so. Staff can raise the limit.',
    example: 'Rate limit exceeded',
  },
  500: {
    name: 'InternalError',
    title: 'Internal Server Error',
    means: 'The service has failed. Its log has the cause under the `X-Request-Id`; the answer never names it.',
    remedy:
      'Send a read again, and a create with the same `idempotencyKey`. If it stays, send the `X-Request-Id` to the operator.',
    example: 'Internal error',
  },
  503: {
    name: 'Unavailable',
    title: 'Service Unavailable',
    means:
      'The request cannot be served now: the database does not answer, or a price needs an exchange rate, and there is none of ' +
      'the last ten minutes. Send it again after `Retry-After`. The message says if it may have been carried out.',
    remedy: 'Send the call again after `Retry-After`, a create with the same `idempotencyKey`.',
    example: 'The database does not answer; send the request again',
  },
};

/** In the order of the numbers. */
export const ERROR_STATUSES: readonly number[] = Object.keys(ERRORS).map(Number);

/** Throws for a status that the service never sends. */
export function errorOf(status: number): ErrorProse {
  const prose = ERRORS[status];
  if (prose === undefined) throw new Error(`the service sends no error with the status ${status}: add it to ERRORS`);
  return prose;
}
