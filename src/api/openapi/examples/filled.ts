import type { z } from 'zod';

type Shape = z.ZodObject['shape'];
type Nullable<S extends Shape> = { [K in keyof S]: null extends z.output<S[K]> ? K : never }[keyof S];

/** The fields of an example. One that is null can be left out. */
type Shown<S extends Shape> = { readonly [K in Exclude<keyof S, Nullable<S>>]: z.output<S[K]> } & {
  readonly [K in Nullable<S>]?: z.output<S[K]>;
};

/** An example with these fields in the order of the schema, and null in all others. */
export function filled<T extends z.ZodObject>(schema: T, shown: Shown<T['shape']>): z.output<T> {
  const fields = Object.keys(schema.shape).map((name) => [name, Reflect.get(shown, name) ?? null]);
  return schema.parse(Object.fromEntries(fields));
}
