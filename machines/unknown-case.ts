/**
 * For the `default` of a switch over a closed union: the compiler refuses a case without a branch, and stored data that
 * has one throws.
 */
export function unknownCase(value: never, what: string): never {
  throw new Error(`unknown ${what} ${String(value)}`);
}
