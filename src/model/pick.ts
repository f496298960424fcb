/** Some fields of an object, in this order; a missing optional one stays missing. */
export function pick<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Pick<T, K>;
export function pick(from: object, ...names: readonly PropertyKey[]): object {
  return Object.fromEntries(names.flatMap((name) => (name in from ? [[name, Reflect.get(from, name)]] : [])));
}

/** The object without the fields that are undefined, as a store's filters need it. */
export function compact<V>(fields: { readonly [name: string]: V | undefined }): { readonly [name: string]: V } {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
