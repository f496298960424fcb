type Stop = () => Promise<unknown>;

const fileStops: Stop[] = [];
const testStops: Stop[] = [];

/**
 * Calls `stop` after the last test of every file, also when its tests or hooks fail. It is for modules that several files
 * share: a worker loads them once, so that an `afterAll` of theirs would run for the first file alone.
 */
export function afterEachFile(stop: Stop): void {
  fileStops.push(stop);
}

/** Calls `stop` when the running test ends, however it ends. Not for concurrent tests. */
export function onTestFinished(stop: Stop): void {
  testStops.push(stop);
}

/** Calls everything that `afterEachFile` registered, also after a failure; then it throws the first failure. */
export function endFile(): Promise<void> {
  return callAll(fileStops);
}

/** Calls everything that `onTestFinished` registered, the last first; then it throws the first failure. */
export function endTest(): Promise<void> {
  return callAll(testStops.splice(0).reverse());
}

async function callAll(stops: readonly Stop[]): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of stops) await stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
