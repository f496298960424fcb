import type { JsonObject } from '../../../machines/json.ts';
import { budgetsOf } from '../../billing/resources/budgets.ts';
import { BODY_BYTES_MAX, BODY_DEPTH_MAX } from '../../http/input/body.ts';
import { FAILED_AUTHENTICATIONS_PER_MINUTE } from '../../http/middleware/rate-limit.ts';

/** The version of the API; its first number is in the path, `/v1` (reference, section 9). */
const API_VERSION = '1.0.0';

/** The budgets of a merchant for which staff have set none. */
const DEFAULTS = budgetsOf({ limitFactor: 1 });

/** The rules of every endpoint, in Markdown. */
const DESCRIPTION = `
A merchant sells offers that are paid in crypto tokens on EVM chains and Solana, once or on a recurring schedule. An offer
has pricing options and a hosted checkout. A customer has a wallet. A subscription bills a pricing option to a customer: the
payer grants an allowance on chain, and the service pulls the charge of every cycle from it. Every charge is a payment.

## Authentication and modes

Every call has the merchant's key in \`X-API-Key\`; \`Authorization\` is not read. The key decides the mode. A test key
(\`tl_test_…\`) and a live key (\`tl_live_…\`) use the same addresses, and a resource of one mode does not exist in the other
(404). A call without a valid key always gets the same 401, for any cause. After ${FAILED_AUTHENTICATIONS_PER_MINUTE} such calls
within a minute, an address gets 429 for the rest of that minute.

## Requests

Bodies are JSON in UTF-8, whatever the \`Content-Type\`; an empty body counts as \`{}\`. These bodies are a 400: more than
${BODY_BYTES_MAX / 1024} KB (${BODY_BYTES_MAX} bytes), deeper than ${BODY_DEPTH_MAX} levels, compressed, with half a surrogate
pair, with a number that is too large or has more digits than a double keeps, or with \`__proto__\`, \`constructor\`,
\`prototype\` or a NUL character in a key at any depth. Body fields and query parameters that an endpoint does not know are
ignored, and listed in \`X-Ignored-Fields\`. A known field that a PATCH cannot update is a 400, and so is a known query
parameter that occurs twice. Paths are exact: no other case, no slash at the end. HEAD has the answer of GET without the body,
and counts as one.

The API is for servers, not for browsers: a key must not be in a page, and the service sends no CORS header.

If a request may have \`null\` for a field, it means that the field is left out; in a PATCH it clears the field.

## Values

Amounts are decimal strings, never numbers. Moments are ISO 8601 in UTC with milliseconds. The prefix of an id names its kind.
A resource always has all its fields; a field without a value is \`null\`, \`[]\` or \`{}\`. Lengths of texts are counted in
UTF-16 code units.

## Lists

Pagination: filters narrow a list; then \`limit\` (1 to 100, default 20) and \`start\` (default 0) choose a page. The newest
comes first. A limit above 100 is refused, not capped. \`hasMore\` is \`true\` if another page follows.

To read a whole list, send the \`id\` of the last item of each page as \`startingAfter\`. The next page begins after it, also if
items were created, changed or deleted meanwhile. That item need not match the filter any more, so a loop may change a property
that its own filter uses. An offset cannot do that: if the loop removes items from the list, \`start\` skips as many others.
\`startingAfter\` together with \`start\`, or with an id that does not exist, is a 400.

## Idempotency

POST /offers, /customers, /subscriptions and /coupons accept an \`idempotencyKey\`; POST /payments requires one. A repeat with
the same key answers 200 with the resource of the first call in its present state, and makes and sends nothing.
\`Idempotency-Replayed: true\` says so, and \`Idempotency-Mismatch: true\` that its body has another meaning. The spelling does
not count, such as the order of fields, \`10\` for \`10.00\`, the case of an EVM address, or a default that is left out. Keys are
valid forever, per merchant, mode and endpoint. A repeat during the first call waits for it. A refused call does not use its
key. For POST /payments, a key of another merchant is a 409: use keys that nobody else makes, such as UUIDs.

## Errors

Every error is \`{"error": "message"}\` and nothing else. Branch only on the status: messages are for people, name the first
problem, and may change. A state that forbids a call is a 409 that names the expected state. A resource of another merchant or
mode gets the same 404 as a missing one. Every answer has an \`X-Request-Id\`. Unknown paths and methods are a 404 before
authentication. A 503 means that the request cannot be served now: the database does not answer, or an
exchange rate is not available for a price. Send it again after \`Retry-After\`, a create with the same \`idempotencyKey\`.

## Limits

Every endpoint and method has its own limits, per merchant and mode, for the minute and for the day (UTC). Each operation lists
them; staff may raise them for a merchant. A call above a limit gets 429, with the time to come back in its headers, and is
counted too. A live key on an endpoint of the sandbox gets 403 before any limit.

Two budgets for the day, per merchant and mode, are beside them: ${DEFAULTS.newWalletsPerDay} payments of POST /payments from or to a wallet
that no earlier payment of yours has used, every \`wallet_transfer\` included, and ${DEFAULTS.announcementsPerDay} announcements of payout
wallets to payers who have signed others. Above one the call gets 429 with \`X-RateLimit-Scope: day\`, and nothing has changed.
Recurring charges that payers have signed are never refused by a limit.
`.trim();

export const INFO: JsonObject = {
  title: 'Tideline API',
  version: API_VERSION,
  summary: 'Recurring and one-time billing in tokens on EVM chains and Solana.',
  description: DESCRIPTION,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};
