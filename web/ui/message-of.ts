/** The message of a thrown value; wallets throw objects that are not errors. */
export function messageOf(thrown: unknown): string {
  const isSpoken = typeof thrown === 'object' && thrown !== null && 'message' in thrown;
  return isSpoken && typeof thrown.message === 'string' ? thrown.message : String(thrown);
}
