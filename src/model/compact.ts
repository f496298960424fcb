/** The object without the fields that are undefined, as a store's filters need it. */
export function compact<V>(fields: { readonly [name: string]: V | undefined }): { readonly [name: string]: V } {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
