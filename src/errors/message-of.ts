/**
 * The message of a thrown value. It does not use `instanceof Error`: anything can be thrown, and an error of another
 * realm has another class.
 */
export function messageOf(thrown: unknown): string {
  const isSpoken = typeof thrown === 'object' && thrown !== null && 'message' in thrown;
  return isSpoken && typeof thrown.message === 'string' ? thrown.message : String(thrown);
}

/** The thrown value as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}
