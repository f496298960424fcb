import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { DevnetError } from '../src/service/devnet-error.ts';
import { deleteRunFolder, folderFiles, readFolderId } from './folder.ts';
import { codeOf, isRecord, parseJson } from './json.ts';
import { connectToSupervisor } from './supervisor-connection.ts';
import { within } from './within.ts';

const END_MS = 30_000;

/**
 * Ends the supervisor of a data folder, if one runs, and deletes the folder with databases, chains and keys. Connected
 * services are notified, and stop.
 *
 * @returns what was done, one sentence each, for the screen
 * @throws DevnetError if Tideline did not make the folder, or its supervisor does not end; then nothing was deleted
 */
export async function resetFolder(dataDir: string): Promise<string[]> {
  const path = resolve(dataDir);
  if (!(await isFolder(path))) return [`There is no folder ${path}: nothing to do.`];
  await proveTidelines(path);
  const ended = await endSupervisor(path);
  await deleteRunFolder(path);
  await deleteFolder(path);
  return [...ended, `Deleted ${path}.`];
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The folder must contain Tideline's own file, and nothing that shows another purpose. */
async function proveTidelines(path: string): Promise<void> {
  const refuse = (why: string) => {
    throw new DevnetError(`${path} was not deleted: ${why}. Delete it by hand if you want to.`);
  };
  if (path === homedir() || path === resolve('/')) refuse('it is the home folder or the root folder');
  const names = await readdir(path);
  const foreign = names.find((name) => name === '.git' || name === 'package.json');
  if (foreign) refuse(`it holds ${foreign}, which no data folder does`);
  if (names.length > 0 && (await readFolderId(path)) === undefined) {
    refuse(`it holds no ${folderFiles.id}, which every data folder of Tideline does`);
  }
}

async function endSupervisor(path: string): Promise<string[]> {
  const connection = await connectToSupervisor(path);
  if (!connection) return [];
  const who = await supervisorPid(path);
  connection.send({ type: 'end', why: 'The data folder is reset' });
  await within(connection.closed, END_MS, () => `The supervisor of ${path}${who} did not end; nothing was deleted`);
  return [`Ended the supervisor${who}.`];
}

async function supervisorPid(path: string): Promise<string> {
  const text = await readFile(join(path, folderFiles.supervisor), 'utf8').catch(() => '');
  const content = parseJson(text);
  return isRecord(content) && typeof content['pid'] === 'number' ? ` (process ${content['pid']})` : '';
}

/**
 * Deletes the contents first, because the folder may be a mount point, which stays. The id goes last: after an
 * interruption the rest is still a data folder that can be reset, and no start makes a new id beside old data.
 */
async function deleteFolder(path: string): Promise<void> {
  const others = (await readdir(path)).filter((name) => name !== folderFiles.id);
  for (const name of [...others, folderFiles.id]) {
    await rm(join(path, name), { recursive: true, force: true, maxRetries: 3 });
  }
  await rmdir(path).catch((error: unknown) => {
    if (codeOf(error) !== 'EBUSY' && codeOf(error) !== 'ENOENT') throw error;
  });
}
