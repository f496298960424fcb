import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { deleteDrafts, type Folder, folderFiles, writeWhole } from './folder.ts';
import { isRecord, parseJson } from './json.ts';
import { shortTempFolder } from './short-path.ts';

const PREFIX = 'tideline-run-';

/**
 * Makes the private folder in which the parts put their sockets, and writes down in `supervisor.json` where it is and
 * whose. What a supervisor that was killed has left is deleted first. For whoever holds the lock of the data folder.
 */
export async function makeRunFolder({ path }: Folder, version: string): Promise<string> {
  await deleteRunFolder(path);
  await deleteDrafts(path);
  const runFolder = await mkdtemp(join(shortTempFolder(), PREFIX));
  const startedAt = new Date().toISOString();
  const content = { pid: process.pid, version, runFolder, startedAt };
  await writeWhole(join(path, folderFiles.supervisor), `${JSON.stringify(content)}\n`);
  return runFolder;
}

/** Deletes the run folder that `supervisor.json` names, and that file, as far as they are there. */
export async function deleteRunFolder(folderPath: string): Promise<void> {
  const file = join(folderPath, folderFiles.supervisor);
  const content = parseJson(await readFile(file, 'utf8').catch(() => ''));
  const runFolder = isRecord(content) ? content['runFolder'] : undefined;
  // Only what can be one is deleted, whatever the file says.
  if (typeof runFolder === 'string' && basename(runFolder).startsWith(PREFIX)) {
    if (dirname(runFolder) === shortTempFolder()) await rm(runFolder, { recursive: true, force: true });
  }
  await rm(file, { force: true });
}
