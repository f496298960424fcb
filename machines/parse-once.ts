import type { z } from 'zod';

/** The part of a schema that reads values. */
export type Parser<T> = Pick<z.ZodType<T>, 'parse'>;

/**
 * Parses each object once, and never the result of an earlier parse. For values that nobody changes, such as contexts
 * and attributes: a charge reads each of them many times.
 */
export function parseOnce<T extends object>(schema: z.ZodType<T>): Parser<T> {
  const known = new WeakMap<object, T>();
  return {
    parse: (value) => {
      if (typeof value !== 'object' || value === null) return schema.parse(value);
      const found = known.get(value);
      if (found !== undefined) return found;
      const parsed = schema.parse(value);
      known.set(value, parsed).set(parsed, parsed);
      return parsed;
    },
  };
}
