import { z } from 'zod';
import { QUANTITY_MAX } from '../../../machines/rules/price-model.ts';
import { invalid } from '../../errors/fault.ts';
import { AMOUNT_PATTERN } from '../../model/amounts.ts';
import type { Page } from '../../model/lists.ts';
import { isTimeZone } from '../../model/time-zones.ts';
import { jsonValue } from '../schemas.ts';

/** Building blocks of request schemas, described in the words of the answer, with the type of query text. */

/** 1 to `max` characters. */
export function text(max: number) {
  const message = `must be 1 to ${max} characters long`;
  return z.string().min(1, message).max(max, message);
}

/** A name for people: 1 to `max` characters, not only blanks. */
export function name(max: number) {
  return text(max).regex(/\S/, 'must not be blank');
}

/** The contact data of a customer (docs/rules.md, "Customers"). */
export const contactFields = {
  email: text(254)
    .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
    .nullish()
    .describe('An e-mail address.'),
  phone: text(50).nullish().describe('As people read it.'),
  name: name(200).nullish().describe('As people read it.'),
};

export const timeZoneField = text(64)
  .refine(isTimeZone, 'must be a name of the IANA database such as Europe/Berlin')
  .describe('An IANA name such as `Europe/Berlin`.');
/** ISO 3166-1. */
export const countryField = z.string().regex(/^[A-Z]{2}$/, 'must be a country code of two capitals, such as DE');

/** What an invoice says about a customer (docs/rules.md, "Invoices"). */
export const invoiceFields = {
  address: name(500).nullish().describe('The postal address, in several lines, for invoices.'),
  country: countryField.nullish().describe('For invoices: ISO 3166-1, two letters. It decides the tax.'),
  taxId: name(50).nullish().describe('For invoices: the tax number.'),
};

/** A JSON integer within limits. */
export function integer(min: number, max: number) {
  const message = `must be an integer between ${min} and ${max}`;
  return z
    .int({ error: (issue) => (issue.input === undefined ? 'is required' : message) })
    .min(min, message)
    .max(max, message);
}

/** A number of units of a price per unit. */
export const quantityField = integer(1, QUANTITY_MAX);

/** The code of a coupon; upper and lower case are the same. */
export const couponCode = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,50}$/, 'must be 1 to 50 letters without accents, digits, hyphens or underscores');

/** One value of a closed list. */
export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values);
}

/** All stored moments are in this range: their year in UTC has four digits. */
const MOMENTS = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')] as const;

/** A moment in ISO 8601 with a zone; it is stored in UTC. */
export const timestamp = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 timestamp such as 2030-01-31T00:00:00.000Z' })
  .transform((value) => new Date(value))
  .refine(isMoment, 'must be between 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z');

function isMoment(date: Date): boolean {
  const [first, last] = MOMENTS;
  return date.getTime() >= first && date.getTime() <= last;
}

/** A decimal number as a string (docs/rules.md, "Money"). */
export const amount = z
  .string({
    error: (issue) => (issue.input === undefined ? 'is required' : 'must be a decimal string such as "9.90"'),
  })
  .regex(AMOUNT_PATTERN, 'must be a decimal string such as "9.90", with at most 30 digits and 18 decimal places');

/** A percentage: decimal string, 0 to 100, at most two decimals. */
export const percentage = z
  .string()
  .regex(/^(100(\.0{1,2})?|\d{1,2}(\.\d{1,2})?)$/, 'must be a decimal string from "0" to "100" with at most 2 places');

/** An `idempotencyKey` (docs/rules.md, "Payments": Keys). */
export const idempotencyKey = text(255);

/** The key of a create that also works without one (reference, section 8: Idempotent creates). */
export const optionalKey = idempotencyKey
  .nullish()
  .describe(
    'A repeat with the same key returns the resource of the first call. Without a key, every call makes a new one.',
  );

const MAP_BYTES_MAX = 16 * 1024;

/** Any JSON object up to 16 KB, kept as sent (docs/rules.md, "Offers": free-form maps). */
export const freeMap = z
  .record(z.string(), jsonValue)
  .refine((map) => bytesOf(map) <= MAP_BYTES_MAX, `must be at most ${MAP_BYTES_MAX} bytes of JSON`);

/** Any JSON objects, up to 16 KB together. */
export const freeMaps = z
  .array(z.record(z.string(), jsonValue))
  .refine((maps) => bytesOf(maps) <= MAP_BYTES_MAX, `must be at most ${MAP_BYTES_MAX} bytes of JSON`);

/** String-to-string, up to 16 KB. */
export const metadata = z
  .record(z.string(), z.string())
  .refine((map) => bytesOf(map) <= MAP_BYTES_MAX, `must be at most ${MAP_BYTES_MAX} bytes of JSON`);

const VARIABLES_MAX = 50;
const VARIABLES_BYTES_MAX = 8 * 1024;

/** A flat object of strings, numbers, booleans (docs/rules.md, "Subscriptions"). */
export const customVariables = z
  .record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean()], { error: 'must be a string, a number, true or false' }),
  )
  .refine((map) => Object.keys(map).length <= VARIABLES_MAX, `must have at most ${VARIABLES_MAX} keys`)
  .refine((map) => bytesOf(map) <= VARIABLES_BYTES_MAX, `must be at most ${VARIABLES_BYTES_MAX} bytes of JSON`);

/** For a PATCH: a field that exists and cannot be updated (docs/rules.md, "Errors"). */
export const fixed = z.undefined('cannot be updated').optional();

/** Several such fields. */
export function allFixed<N extends string>(...names: readonly N[]): { readonly [K in N]: typeof fixed };
export function allFixed(...names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, fixed]));
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Of a PATCH: only the fields that were sent. */
export function given<T extends object>(fields: T): Given<T> {
  const there: Given<T> = { ...fields };
  for (const key of Object.keys(there)) {
    if (Reflect.get(there, key) === undefined) Reflect.deleteProperty(there, key);
  }
  return there;
}

/** `true` or `false` in a query. */
export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true')
  .meta({ type: 'boolean' });

/** `totals=true` of a list. */
export const totalsWanted = flag
  .default(false)
  .describe('`true` adds `totals`: what the filter finds on all pages. It costs a count.');

/** `limit`, `start` and `startingAfter` of every list (reference, section 8: Pagination). */
export const page = {
  limit: queryInteger(1, 100, 'must be between 1 and 100').default(20).describe('The most items of a page.'),
  start: queryInteger(0, 1_000_000_000, 'must be between 0 and 1000000000')
    .optional()
    .meta({ default: 0 })
    .describe('The number of newest items to skip. Not together with `startingAfter`.'),
  startingAfter: text(100)
    .optional()
    .describe(
      'The `id` of the last item that you have: the page begins after it, also if items were created, changed or deleted ' +
        'meanwhile. That item need not match the filter any more.',
    ),
};

/** `created[gte]=…` and so on: the range of a list in which its resources were created. */
export const created = z
  .object({
    gt: bound('After this moment.'),
    gte: bound('At this moment or after it.'),
    lt: bound('Before this moment.'),
    lte: bound('At this moment or before it.'),
  })
  .optional()
  .describe('Only those created in this range: `created[gte]=2030-01-01T00:00:00Z&created[lt]=2030-02-01T00:00:00Z`.');

function bound(description: string) {
  return timestamp.exactOptional().meta({ type: 'string', format: 'date-time', description });
}

const METADATA_KEYS_MAX = 10;

/** `metadata[order]=1001`: a list of the resources with this value in their metadata. */
export const metadataSought = z
  .record(z.string(), z.string())
  .refine(
    (sought) => Object.keys(sought).every((key) => /^[^.$][^.]*$/.test(key)),
    'must have keys without dots that do not begin with $',
  )
  .refine((sought) => Object.keys(sought).length <= METADATA_KEYS_MAX, `must have at most ${METADATA_KEYS_MAX} keys`)
  .optional()
  .describe(
    'Only those with this value in their `metadata`: `metadata[order]=1001`. Several must all fit, at most ten.',
  );

/** The page of a query. Throws 400 if the query names both `start` and `startingAfter`. */
export function pageOf({ limit, start, startingAfter }: z.output<z.ZodObject<typeof page>>): Page {
  if (start !== undefined && startingAfter !== undefined)
    throw invalid('start must be absent where startingAfter is given');
  return { limit, start: start ?? 0, startingAfter };
}

/** An integer within limits, as text of a query. */
export function queryInteger(min: number, max: number, message: string) {
  return z
    .string(message)
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The tag of the language in which the page is read, for letters. */
export const languageField = z
  .string()
  .regex(/^[a-zA-Z-]{2,35}$/, 'must be a tag such as en or pt-BR')
  .nullish();
