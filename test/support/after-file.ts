const stops: (() => Promise<unknown>)[] = [];

/**
 * Has something called after the last test of each file: what a file has left running is ended there, also when its tests or
 * its own hooks fail. For modules that several files share: they are loaded once for all of them, so that an `afterAll` of
 * their own would be of the first file alone.
 */
export function afterEachFile(stop: () => Promise<unknown>): void {
  stops.push(stop);
}

/** Ends what the present file has left running, also where something else of it cannot be ended; for `setup-file.ts` alone. */
export async function endFile(): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of stops) await stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
