import type { JsonObject } from '../../../machines/json.ts';

const text = { type: 'string' } as const;
const TRUE = { ...text, const: 'true' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

/** Every header of an answer, except those of HTTP itself (docs/rules.md, "Errors"; reference, section 8). */
export const HEADERS: JsonObject = {
  'X-Request-Id': always(
    'The id of this request, made by the service. Name it when you ask for help.',
    { ...text, pattern: '^req_' },
    'req_3f0b8f0e-2f4d-4c1e-9a57-6d1f0c8b7a21',
  ),
  'X-Ignored-Fields': sometimes(
    'Names of body fields and query parameters that the endpoint does not know and has ignored, to reveal typing errors: ' +
      'percent-encoded, separated by a comma and a space, at most 10 names and 256 bytes. Absent when there are none.',
    { ...text, maxLength: 256 },
    'pricing[0].trialDay',
  ),
  'Idempotency-Replayed': sometimes(
    '`true` when the `idempotencyKey` was used before: this call made and changed nothing. Absent otherwise.',
    TRUE,
    'true',
  ),
  'Idempotency-Mismatch': sometimes(
    '`true` when the `idempotencyKey` was first used with another body. Absent otherwise.',
    TRUE,
    'true',
  ),
  Link: sometimes(
    'Of CSV: the address of the next page, with `rel="next"`. Absent on the last page, and with JSON.',
    text,
    '<https://pay.example.com/v1/payments?startingAfter=pay_01m7x10xq0y1reyhv1mf222xc4>; rel="next"',
  ),
  Vary: sometimes('Where the form depends on `Accept`: JSON or CSV.', { ...text, const: 'Accept' }, 'Accept'),
  'Retry-After': always(
    'Seconds after which the call may be sent again: on a 429, until the exhausted window ends.',
    { ...COUNT, minimum: 1 },
    37,
  ),
  'X-RateLimit-Limit': always('The exceeded limit.', COUNT, 60),
  'X-RateLimit-Remaining': always('Always 0.', { type: 'integer', const: 0 }, 0),
  'X-RateLimit-Reset': always('Unix seconds at which the window resets.', { type: 'integer' }, 1_768_469_460),
  'X-RateLimit-Scope': sometimes(
    '`day` when the daily quota was exhausted. Absent for the per-minute guard.',
    { ...text, const: 'day' },
    'day',
  ),
};

function sometimes(description: string, schema: JsonObject, example: string | number): JsonObject {
  return { description, schema, example };
}

function always(description: string, schema: JsonObject, example: string | number): JsonObject {
  return { ...sometimes(description, schema, example), required: true };
}

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
