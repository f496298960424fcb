import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { deleteDrafts, type Folder, folderFiles, writeWhole } from './folder.ts';
import { isRecord, parseJson } from './json.ts';
import { shortTempFolder } from './short-path.ts';

const PREFIX = 'tideline-run-';

/**
 * Creates the private folder for the parts' sockets, and records it with its owner in `supervisor.json`. Leftovers of a
 * killed supervisor are deleted first. Only for the holder of the data folder's lock.
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

/** Deletes the run folder that `supervisor.json` names, and that file, if they exist. */
export async function deleteRunFolder(folderPath: string): Promise<void> {
  const file = join(folderPath, folderFiles.supervisor);
  const content = parseJson(await readFile(file, 'utf8').catch(() => ''));
  const runFolder = isRecord(content) ? content['runFolder'] : undefined;
  // The path is checked, because the file could name any folder.
  if (typeof runFolder === 'string' && basename(runFolder).startsWith(PREFIX)) {
    if (dirname(runFolder) === shortTempFolder()) await rm(runFolder, { recursive: true, force: true });
  }
  await rm(file, { force: true });
}
