import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../stage/remove-folder.ts';

type Stop = () => Promise<unknown>;

const fileStops: Stop[] = [];
const folders: string[] = [];
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

/** A new folder for the running file. It is removed after everything that `afterEachFile` stops. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-test-'));
  folders.push(folder);
  return folder;
}

/**
 * Calls everything that `afterEachFile` registered, even after a failure, and removes the temporary folders; then it
 * throws the first failure.
 */
export function endFile(): Promise<void> {
  const removals = folders.splice(0).map((folder) => () => removeFolder(folder));
  return callAll([...fileStops, ...removals]);
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
