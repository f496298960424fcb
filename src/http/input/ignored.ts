import { z } from 'zod';
import { isMap } from '../../../machines/json.ts';

const NAMES_MAX = 10;
const BYTES_MAX = 256;

/**
 * The names in the sent value that are missing in the understood one, as paths (`pricing[0].trialDay`). Schemas drop
 * unknown names and never rename, so this comparison finds every typo without a second list of fields.
 */
export function ignoredNames(sent: unknown, understood: unknown, path = ''): string[] {
  if (Array.isArray(sent)) {
    if (!Array.isArray(understood)) return [];
    return sent.flatMap((item, index) => ignoredNames(item, understood[index], `${path}[${index}]`));
  }
  if (!isMap(sent) || !isMap(understood)) return [];
  return Object.entries(sent).flatMap(([key, value]) => {
    // An empty name is shown as `""`.
    const own = key === '' ? '""' : key;
    const name = path === '' ? own : `${path}.${own}`;
    if (!Object.hasOwn(understood, key)) return [name];
    return ignoredNames(value, Reflect.get(understood, key), name);
  });
}

/** The names that a refusing schema does not know. Everything in a union or a free-form map counts as known. */
export function ignoredBy(schema: z.ZodObject, sent: unknown): string[] {
  return ignoredNames(sent, knownTo(schema, sent));
}

/** The parts of a value that its schema names, valid or not. */
function knownTo(schema: unknown, sent: unknown): unknown {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray && Array.isArray(sent)) return sent.map((item) => knownTo(inner.element, item));
  if (!(inner instanceof z.ZodObject) || !isMap(sent)) return sent;
  const known = Object.entries(sent).filter(([name]) => Object.hasOwn(inner.shape, name));
  return Object.fromEntries(known.map(([name, value]) => [name, knownTo(inner.shape[name], value)]));
}

/** True for an object or a map, also an optional one. */
export function isObjectSchema(schema: unknown): boolean {
  const inner = bare(schema);
  return inner instanceof z.ZodObject || inner instanceof z.ZodRecord;
}

function bare(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? bare(schema.unwrap()) : schema;
}

/**
 * The value of `X-Ignored-Fields` (docs/rules.md, "Errors"): percent-encoded, so that no byte of a client can break the
 * header; at most 10 names and 256 bytes. A name that does not fit is left out; the first name is cut instead.
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

/** Percent-encoded UTF-8, except the characters of a path. The Buffer replaces half surrogate pairs. */
function percentEncoded(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString()).replaceAll('%5B', '[').replaceAll('%5D', ']');
}

/** The longest beginning with whole characters that fits. */
function cut(name: string): string {
  let encoded = '';
  for (const character of name) {
    const next = encoded + percentEncoded(character);
    if (next.length > BYTES_MAX) break;
    encoded = next;
  }
  return encoded;
}
