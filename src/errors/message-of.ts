/**
 * What was thrown, in its own words. Not by `instanceof Error`: anything can be thrown, and what another realm throws is of
 * another class.
 */
export function messageOf(thrown: unknown): string {
  const isSpoken = typeof thrown === 'object' && thrown !== null && 'message' in thrown;
  return isSpoken && typeof thrown.message === 'string' ? thrown.message : String(thrown);
}

/** What was thrown, as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}
