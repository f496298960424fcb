import { z } from 'zod';

const standing = new WeakMap<object, z.ZodType>();

/**
 * Takes anything, and is published as `schema`, against which it is checked later. So the types of a client say what works,
 * and one bad item of a batch does not cost the others their update.
 */
export function standFor(schema: z.ZodType): z.ZodUnknown {
  const stand = z.unknown();
  standing.set(stand, schema);
  return stand;
}

/** The schema that this one stands for; undefined: itself. */
export function stoodFor(schema: object): z.ZodType | undefined {
  return standing.get(schema);
}
