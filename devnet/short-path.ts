import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A Unix socket's address holds 107 bytes on Linux and 103 on macOS. What is cut off is lost without a word, so a longer
 * path is never given to `listen` or `connect`.
 */
const SOCKET_PATH_BYTES_MAX = 100;
/** Room for the longest name of a socket in a folder, its separator included. */
const SOCKET_NAME_BYTES_MAX = 50;

/** The folder for temporary files, unless its own name is so long that a socket below it could not be reached. */
export function shortTempFolder(): string {
  const folder = tmpdir();
  return process.platform === 'darwin' || Buffer.byteLength(folder) > 40 ? '/tmp' : folder;
}

/**
 * Calls `use` with a path to `folder` that is short enough for sockets in it. A folder with a long name is reached
 * through a symbolic link in a private temporary folder, which exists for the length of the call: the sockets are in the
 * folder itself either way, so nobody has to agree on another place for them.
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
