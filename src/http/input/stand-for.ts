import { z } from 'zod';

const stands = new WeakMap<object, z.ZodType>();

/** Accepts anything, but is published as `schema`, which checks later: one bad item fails no batch. */
export function standFor(schema: z.ZodType): z.ZodUnknown {
  const stand = z.unknown();
  stands.set(stand, schema);
  return stand;
}

/** The schema that `schema` replaces; undefined: none. */
export function stoodFor(schema: object): z.ZodType | undefined {
  return stands.get(schema);
}
