import type { JsonObject } from '../../../machines/json.ts';

/** Every header of an answer, except those of HTTP itself (docs/rules.md, "Errors"; reference, section 8). */
export const HEADERS: JsonObject = {
  'X-Request-Id': {
    description: 'The id of this request, made by the service. Name it when you ask for help.',
    required: true,
    schema: { type: 'string', pattern: '^req_' },
    example: 'req_3f0b8f0e-2f4d-4c1e-9a57-6d1f0c8b7a21',
  },
  'X-Ignored-Fields': {
    description:
      'Names of body fields and query parameters that the endpoint does not know and has ignored, to reveal typing errors: ' +
      'percent-encoded, separated by a comma and a space, at most 10 names and 256 bytes. Absent when there are none.',
    schema: { type: 'string', maxLength: 256 },
    example: 'pricing[0].trialDay',
  },
  'Idempotency-Replayed': {
    description:
      '`true` when the `idempotencyKey` was used before: this call made and changed nothing. Absent otherwise.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Idempotency-Mismatch': {
    description: '`true` when the `idempotencyKey` was first used with another body. Absent otherwise.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  Link: {
    description: 'Of CSV: the address of the next page, with `rel="next"`. Absent on the last page, and with JSON.',
    schema: { type: 'string' },
    example: '<https://pay.example.com/v1/payments?startingAfter=pay_01m7x10xq0y1reyhv1mf222xc4>; rel="next"',
  },
  Vary: {
    description: 'Where the form depends on `Accept`: JSON or CSV.',
    schema: { type: 'string', const: 'Accept' },
    example: 'Accept',
  },
  'Retry-After': {
    description: 'Seconds after which the call may be sent again: on a 429, until the exhausted window ends.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 37,
  },
  'X-RateLimit-Limit': {
    description: 'The exceeded limit.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'Always 0.',
    required: true,
    schema: { type: 'integer', const: 0 },
    example: 0,
  },
  'X-RateLimit-Reset': {
    description: 'Unix seconds at which the window resets.',
    required: true,
    schema: { type: 'integer' },
    example: 1_768_469_460,
  },
  'X-RateLimit-Scope': {
    description: '`day` when the daily quota was exhausted. Absent for the per-minute guard.',
    schema: { type: 'string', const: 'day' },
    example: 'day',
  },
};

const LIMIT_HEADERS = [
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Scope',
];

/** References to the headers of an answer with this status. */
export function headersOf(
  status: number,
  { isReplay, isCsv }: { readonly isReplay: boolean; readonly isCsv: boolean },
): JsonObject {
  const names = ['X-Request-Id'];
  if (status === 429) names.push(...LIMIT_HEADERS);
  if (status === 503) names.push('Retry-After');
  if (![401, 403, 429].includes(status)) names.push('X-Ignored-Fields');
  if (isReplay) names.push('Idempotency-Replayed', 'Idempotency-Mismatch');
  if (isCsv) names.push('Link', 'Vary');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
