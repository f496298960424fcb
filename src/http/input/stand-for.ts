import { z } from 'zod';

const stands = new WeakMap<object, z.ZodType>();

/**
 * Accepts anything now, but is published as `schema`, which checks it later. A client's types are then exact, and one
 * bad item of a batch does not fail the others.
 */
export function standFor(schema: z.ZodType): z.ZodUnknown {
  const stand = z.unknown();
  stands.set(stand, schema);
  return stand;
}

/** The schema that `schema` replaces; undefined: none. */
export function stoodFor(schema: object): z.ZodType | undefined {
  return stands.get(schema);
}
