import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Builds the pages from their sources in another process, because a bundler would block this one. */
export async function buildPages(root: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/build.ts', 'web'], { cwd: root });
}
