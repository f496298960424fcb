type Stop = () => Promise<unknown>;

const fileStops: Stop[] = [];
const testStops: Stop[] = [];

/**
 * Calls `stop` after the last test of every file, even if its tests or hooks fail. It is for modules that several files
 * share: a worker loads them once, so their own `afterAll` would run for the first file only.
 */
export function afterEachFile(stop: Stop): void {
  fileStops.push(stop);
}

/** Calls `stop` at the end of the running test, even if it fails. Not for concurrent tests. */
export function onTestFinished(stop: Stop): void {
  testStops.push(stop);
}

/** Calls everything that `afterEachFile` registered, even after a failure; then it throws the first failure. */
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
