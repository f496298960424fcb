import type { z } from 'zod';

/** Reads values of one schema. */
export interface Parser<T> {
  parse(value: unknown): T;
  /** Marks a value as parsed. The caller has just made it in the schema's type: it was not read or received. */
  trust(made: T): T;
}

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
    trust: (made) => {
      known.set(made, made);
      return made;
    },
  };
}
