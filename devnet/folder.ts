import { randomBytes } from 'node:crypto';
import { link, mkdir, mkdtemp, open, readdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../src/errors/message-of.ts';
import { DevnetError } from '../src/service/devnet-error.ts';
import { codeOf, isRecord, parseJson } from './json.ts';

/** A writable data folder of Tideline. */
export interface Folder {
  /** Absolute and without symbolic links, so that one folder has one spelling. */
  path: string;
  /** 32 hex digits, made once. They identify the parts that run on this folder. */
  id: string;
}

const DRAFT_SUFFIX = '.draft';

/** The names of the supervisor's files and folders in a data folder. */
export const folderFiles = {
  id: 'folder.json',
  socket: 'supervisor.sock',
  supervisor: 'supervisor.json',
  log: 'supervisor.log',
  mongoUri: 'mongodb.uri',
  mongoData: 'mongodb',
  mongoMemoryServerData: 'mongodb-memory-server',
  cache: 'cache',
  evmState: 'evm-state.json',
  evmGenesis: 'evm-genesis.json',
  evmPort: 'evm.port',
  evmCache: 'evm-cache',
  solanaJournal: 'solana-chain.jsonl',
  solanaPort: 'solana.port',
} as const;

/**
 * Opens `dataDir` as Tideline's data folder, and creates it with an id if it does not exist. Several processes may do
 * this at the same time: all get the same id.
 *
 * @throws DevnetError if the folder cannot be created or written, or its id file is invalid
 */
export async function openFolder(dataDir: string): Promise<Folder> {
  const wanted = resolve(dataDir);
  try {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    const path = await realpath(wanted);
    const known = await readFolderId(path);
    await proveWritable(path);
    return { path, id: known ?? (await makeFolderId(path)) };
  } catch (error) {
    if (error instanceof DevnetError) throw error;
    throw new DevnetError(`DATA_DIR ${wanted} is not a folder that can be written: ${messageOf(error)}`);
  }
}

/**
 * The id of Tideline's data folder; `undefined` for any other folder.
 *
 * @throws DevnetError if the id file is invalid
 */
export async function readFolderId(path: string): Promise<string | undefined> {
  const file = join(path, folderFiles.id);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const content = parseJson(text);
  if (isRecord(content) && typeof content['id'] === 'string' && /^[0-9a-f]{32}$/.test(content['id'])) {
    return content['id'];
  }
  throw new DevnetError(
    `${file} should hold {"id": "<32 hex digits>"} and does not; to start afresh, delete the folder`,
  );
}

/** Writes a file completely or not at all: under another name, flushed, then renamed. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}${DRAFT_SUFFIX}`;
  try {
    await writeFlushed(draft, content);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Deletes leftovers of {@link writeWhole} of files that only a supervisor writes. Only for the holder of its lock. */
async function deleteDrafts(folderPath: string): Promise<void> {
  const written = [folderFiles.supervisor, folderFiles.mongoUri, folderFiles.evmState, folderFiles.evmGenesis];
  for (const name of await readdir(folderPath)) {
    const isDraft = name.endsWith(DRAFT_SUFFIX) && written.some((each) => name.startsWith(`${each}.`));
    if (isDraft) await rm(join(folderPath, name), { force: true });
  }
}

async function writeFlushed(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function proveWritable(path: string): Promise<void> {
  const probe = join(path, `.writable-${randomBytes(4).toString('hex')}`);
  await (await open(probe, 'wx')).close();
  await rm(probe);
}

async function makeFolderId(path: string): Promise<string> {
  const file = join(path, folderFiles.id);
  const draft = `${file}.${randomBytes(4).toString('hex')}${DRAFT_SUFFIX}`;
  const id = randomBytes(16).toString('hex');
  await writeFlushed(draft, `${JSON.stringify({ product: 'tideline', id })}\n`);
  try {
    // A link, unlike a rename, does not replace: of two processes, one makes the id and the other reads it.
    await link(draft, file);
    return id;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return (await readFolderId(path)) ?? id;
  } finally {
    await rm(draft, { force: true });
  }
}

/** The port that a part had last, from the file in which it keeps it; `undefined`: it never had one. */
export async function rememberedPort(file: string): Promise<number | undefined> {
  try {
    const port = Number(await readFile(file, 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A Unix socket's path has at most 107 bytes on Linux and 103 on macOS. Longer ones are cut silently. */
const SOCKET_PATH_BYTES_MAX = 100;
/** The longest name of a socket in a folder, with its separator. */
const SOCKET_NAME_BYTES_MAX = 50;

/** The folder for temporary files; a shorter one if its path is too long for sockets below it. */
function shortTempFolder(): string {
  const folder = tmpdir();
  return process.platform === 'darwin' || Buffer.byteLength(folder) > 40 ? '/tmp' : folder;
}

/**
 * Calls `use` with a path to `folder` that is short enough for sockets in it. A folder with a long path is reached
 * through a symbolic link in a private temporary folder during the call. The sockets are in the folder itself either
 * way, so nobody has to agree on another folder.
 */
export async function withShortPath<T>(folder: string, use: (shortPath: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(folder) + SOCKET_NAME_BYTES_MAX <= SOCKET_PATH_BYTES_MAX) return use(folder);
  const around = await mkdtemp(join(shortTempFolder(), 'tideline-'));
  try {
    const shortPath = join(around, 'd');
    await symlink(folder, shortPath, 'dir');
    return await use(shortPath);
  } finally {
    await rm(around, { recursive: true, force: true });
  }
}

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
