import { z } from 'zod';

const NAMES_MAX = 10;
const BYTES_MAX = 256;

/**
 * The names in what was sent that are not in what was understood of it, as paths (`pricing[0].trialDay`). Schemas leave
 * out what they do not know and never rename, so comparing both sides finds every typo without a second list of fields.
 */
export function ignoredNames(sent: unknown, understood: unknown, path = ''): string[] {
  if (Array.isArray(sent)) {
    if (!Array.isArray(understood)) return [];
    return sent.flatMap((item, index) => ignoredNames(item, understood[index], `${path}[${index}]`));
  }
  if (!isObject(sent) || !isObject(understood)) return [];
  return Object.entries(sent).flatMap(([key, value]) => {
    // A name of nothing is shown as one.
    const own = key === '' ? '""' : key;
    const name = path === '' ? own : `${path}.${own}`;
    if (!Object.hasOwn(understood, key)) return [name];
    return ignoredNames(value, Reflect.get(understood, key), name);
  });
}

/**
 * The same names in what its schema refuses. Nothing is parsed for it: of a union, and of a free-form map, all is taken as known.
 */
export function ignoredBy(schema: z.ZodObject, sent: unknown): string[] {
  return ignoredNames(sent, knownTo(schema, sent));
}

/** The parts of a value that have a place in its schema, right or wrong. */
function knownTo(schema: unknown, sent: unknown): unknown {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray && Array.isArray(sent)) return sent.map((item) => knownTo(inner.element, item));
  if (!(inner instanceof z.ZodObject) || !isObject(sent)) return sent;
  const known = Object.entries(sent).filter(([name]) => Object.hasOwn(inner.shape, name));
  return Object.fromEntries(known.map(([name, value]) => [name, knownTo(inner.shape[name], value)]));
}

/** A schema without what lets a field be left out or be null. */
function bare(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? bare(schema.unwrap()) : schema;
}

/**
 * The value of `X-Ignored-Fields` (docs/rules.md, "Errors"): percent-encoded, so that no byte of a client can break the
 * header; at most 10 names and 256 bytes. A name that does not fit whole is left out, the first is cut.
 */
export function ignoredHeader(names: readonly string[]): string {
  let header = '';
  for (const name of names.slice(0, NAMES_MAX)) {
    const encoded = percentEncoded(name);
    if (header === '') header = encoded.length <= BYTES_MAX ? encoded : cut(name);
    else if (header.length + 2 + encoded.length <= BYTES_MAX) header += `, ${encoded}`;
  }
  return header;
}

/** UTF-8 bytes, but for what a path of names consists of. By way of a Buffer, which mends half surrogate pairs. */
function percentEncoded(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString()).replaceAll('%5B', '[').replaceAll('%5D', ']');
}

/** As many whole characters from its beginning as there is room for. */
function cut(name: string): string {
  let encoded = '';
  for (const character of name) {
    const next = encoded + percentEncoded(character);
    if (next.length > BYTES_MAX) break;
    encoded = next;
  }
  return encoded;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
