/** Some fields of an object, in this order; a missing optional one stays missing. */
export function pick<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Pick<T, K>;
export function pick(from: object, ...names: readonly PropertyKey[]): object {
  return Object.fromEntries(names.flatMap((name) => (name in from ? [[name, Reflect.get(from, name)]] : [])));
}

/** The same, with null for each that is missing. */
export function orNull<T extends object, K extends keyof T>(
  from: T,
  ...names: readonly K[]
): { [N in K]-?: Exclude<T[N], undefined> | null };
export function orNull(from: object, ...names: readonly PropertyKey[]): object {
  return Object.fromEntries(names.map((name) => [name, Reflect.get(from, name) ?? null]));
}

/** The object without the fields that are undefined, as a store's filters need it. */
export function compact<V>(fields: { readonly [name: string]: V | undefined }): { readonly [name: string]: V } {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
