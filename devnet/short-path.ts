import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A Unix socket's address holds 107 bytes on Linux and 103 on macOS. Longer paths are cut silently, so they are never
 * given to `listen` or `connect`.
 */
const SOCKET_PATH_BYTES_MAX = 100;
/** The longest name of a socket in a folder, with its separator. */
const SOCKET_NAME_BYTES_MAX = 50;

/** The folder for temporary files; a shorter one if its path is too long for sockets below it. */
export function shortTempFolder(): string {
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
