/**
 * The meaning of an error (reference, section 7), unless its endpoint defines its own, and an example of its message.
 */
interface ErrorProse {
  /** Its name in `components.responses`. */
  readonly name: string;
  readonly means: string;
  readonly example: string;
}

/** Every error status of the service. */
const ERRORS: { readonly [status: number]: ErrorProse } = {
  400: {
    name: 'BadRequest',
    means: 'The request is not valid, or a rule forbids it. The message names only the first problem.',
    example: 'limit must be between 1 and 100',
  },
  401: {
    name: 'Unauthorized',
    means: 'No `X-API-Key`, an unknown or revoked one, or the key of a suspended merchant: always the same answer.',
    example: 'Unauthorized',
  },
  403: {
    name: 'Forbidden',
    means: 'A live key on an endpoint of the sandbox. This check comes before all limits.',
    example: 'This endpoint takes test keys only',
  },
  404: {
    name: 'NotFound',
    means: 'The resource does not exist, or belongs to another merchant or environment.',
    example: 'Not found',
  },
  409: {
    name: 'Conflict',
    means: 'The state of the resource forbids this; the message names the expected state.',
    example: 'Subscription is canceled; cancel needs pending, active or past_due',
  },
  429: {
    name: 'TooManyRequests',
    means:
      'The limit of this endpoint for the minute or for the day (UTC) is exceeded. This call has been counted too.',
    example: 'Rate limit exceeded',
  },
  500: {
    name: 'InternalError',
    means: 'The service has failed. Its log has the cause under the `X-Request-Id`; the answer never names it.',
    example: 'Internal error',
  },
  503: {
    name: 'Unavailable',
    means:
      'The request cannot be served now: the database does not answer, or a price needs an exchange rate, and there is none of ' +
      'the last ten minutes. Send it again after `Retry-After`. The message says if it may have been carried out.',
    example: 'The database does not answer; send the request again',
  },
};

/** Throws for a status that the service never sends. */
export function errorOf(status: number): ErrorProse {
  const prose = ERRORS[status];
  if (prose === undefined) throw new Error(`the service sends no error with the status ${status}: add it to ERRORS`);
  return prose;
}
