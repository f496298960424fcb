import type { JsonObject } from '../../../machines/json.ts';
import { BODY_BYTES_MAX, BODY_DEPTH_MAX } from '../../http/input/body.ts';
import { FAILED_AUTHENTICATIONS_PER_MINUTE } from '../../http/limits.ts';

/** The version of the API; its first number is in the path, `/v1` (reference, section 9). */
const API_VERSION = '1.0.0';

/** The rules of every endpoint, in Markdown. */
const DESCRIPTION = `
A merchant sells offers that are paid in crypto tokens on EVM chains and Solana, once or on a recurring schedule. An offer
carries its pricing options and its hosted checkout. A customer is known by a wallet; a subscription bills a pricing option
to a customer: the payer grants an allowance on chain, and the service pulls the charge of every cycle from it. Every charge
is a payment.

## Authentication and modes

Every call carries the merchant's key in \`X-API-Key\`; \`Authorization\` is not checked. The key decides the mode: a test
key (\`tl_test_…\`) and a live key (\`tl_live_…\`) use the same addresses, and what is made in one mode is not there in the
other (404). A call without a good key is always answered with the same 401, however it is not good, and an address that
fails ${FAILED_AUTHENTICATIONS_PER_MINUTE} times within a minute with 429 for the rest of it.

## Requests

Bodies are JSON in UTF-8, whatever their \`Content-Type\` says; none at all is \`{}\`. One of more than
${BODY_BYTES_MAX / 1024} KB (${BODY_BYTES_MAX} bytes), nested deeper than ${BODY_DEPTH_MAX} levels, compressed, with half a
surrogate pair or a number that is too large or has more digits than a double keeps, or with \`__proto__\`,
\`constructor\`, \`prototype\` or a NUL character in a key at any depth is a 400. Body fields and query parameters that an
endpoint does not know are ignored, and named in \`X-Ignored-Fields\`. A field that a PATCH knows and cannot update is a 400, and
so is a known query parameter that is given twice. Paths are exact: no other case, no slash at the end. HEAD is answered as
GET is, without the body, and counts as one.

The API is for servers, not for browsers: a key must not be in a page, and no CORS header is sent.

Where \`null\` is allowed in a request, it means that the field is left out; in a PATCH it clears the field.

## Values

Amounts are decimal strings, never numbers. Moments are ISO 8601 in UTC with milliseconds. Ids have a prefix that says of
what they are. Every field of a resource is always there; without a value it is \`null\`, \`[]\` or \`{}\`. Lengths of texts
are counted in UTF-16 code units.

## Lists

\`limit\` (1 to 100, 20 by default) and \`start\` (0 by default) choose a page; filters narrow the list before. The newest
comes first. A limit above 100 is refused, not capped. \`hasMore\` says whether a further page has something.

To go through a list, send the \`id\` of the last one of each page as \`startingAfter\`: the next page begins behind it, whatever
has been created, changed or deleted meanwhile. It need not match the filter any more, so a loop may change what its own filter
asks for. An offset cannot do that: where the loop takes resources out of the list, \`start\` skips as many of the others.
\`startingAfter\` together with \`start\`, or of something that is not there, is a 400.

## Idempotency

POST /offers, /customers and /subscriptions take an \`idempotencyKey\`, POST /payments requires one. A repeat with the same
key answers 200 with what the first call has made, as it is now, and makes and sends nothing; \`Idempotency-Mismatch: true\`
says that its body meant something else: spelling does not count, such as the order of fields, \`10\` for \`10.00\`, the case
of an EVM address, or a default that was left out. Keys hold for ever, per merchant, mode and endpoint. A twin of a call that
is still being worked on waits for it. What was refused has used no key up. For POST /payments, a key of another merchant is a
409: make keys that nobody else makes, such as UUIDs.

## Errors

Every error is \`{"error": "message"}\` and nothing else. Branch on the status only: messages are for people, name the first
problem found, and may change. A state that forbids something is a 409 that says what was expected. What belongs to another
merchant or mode is the same 404 as what does not exist. Every answer has an \`X-Request-Id\`. Unknown paths and methods are
404 before anybody is authenticated. The one 503 is that of an exchange rate that is not to be had when a price is to be
frozen: nothing was stored, try again shortly.

## Limits

Every endpoint and method has limits of its own, per merchant and mode, for the minute and for the day (UTC); they stand at
each operation, and staff may raise them for a merchant. A call beyond them is answered with 429, says in its headers when
to come back, and is counted too. A live key on an endpoint of the sandbox is refused with 403 before any limit.
`.trim();

export const INFO: JsonObject = {
  title: 'Tideline API',
  version: API_VERSION,
  summary: 'Recurring and one-time billing in tokens on EVM chains and Solana.',
  description: DESCRIPTION,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};
