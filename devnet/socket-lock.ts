import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { link, lstat, readdir, unlink } from 'node:fs/promises';
import { connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withShortPath } from './folder.ts';
import { codeOf } from './json.ts';

/** A lock that this process holds until it ends or calls `release`. */
export interface SocketLock {
  /** False if the socket's file was replaced or deleted, for example with the folder. */
  isHeld(): Promise<boolean>;
  /** Deletes the socket's file if it still belongs to this lock. */
  release(): Promise<void>;
}

const DRAFT_PREFIX = '.sock-';
const CLAIM_PREFIX = '.take-';
const CLAIM_POLL_MS = 20;
const LEFTOVER_AGE_MS = 60_000;

/**
 * Makes `server` listen on the Unix socket `name` in `folder`, so that exactly one of all trying processes succeeds.
 * `undefined`: another process, which is alive, has it.
 *
 * The kernel keeps the file of a socket whose process was killed. Nothing deletes such a file safely, because another
 * process may replace it by a live one between the check and the deletion. So:
 *
 * - A socket listens under its own name first, and a hard link then gives it the common name. The link fails if the
 *   name is
 * taken. A file under the common name has always been listening: if it refuses, its process is dead.
 * - Only one process deletes a dead file: the one that claimed exactly this file, by linking its own live socket to a
 *   name made
 * of the dead file's identity. A claim whose socket refuses is dead too, and the next number is claimed.
 */
export async function lockWithSocket(server: Server, folder: string, name: string): Promise<SocketLock | undefined> {
  return withShortPath(folder, async (path) => {
    const draft = join(path, DRAFT_PREFIX + randomBytes(6).toString('hex'));
    await once(server.listen(draft), 'listening');
    const mine = await identityOf(draft);
    const common = join(path, name);
    try {
      while (!(await linkNew(draft, common))) {
        const found = await identityOf(common);
        if (found === undefined) continue;
        if (await answers(common)) return undefined;
        await deleteDead({ path, draft, common, dead: found });
      }
    } finally {
      await unlinkIfThere(draft);
    }
    await deleteLeftovers(path);
    return heldLock(join(folder, name), mine);
  });
}

/** True if a process listens on this socket; false if its file does not exist or was left behind. */
export async function answers(socketPath: string): Promise<boolean> {
  const socket = await connectToSocket(socketPath);
  if (socket === 'dead') return false;
  if (socket !== 'busy') socket.destroy();
  return true;
}

function heldLock(file: string, mine: string | undefined): SocketLock {
  const isHeld = async () => mine !== undefined && (await identityOf(file)) === mine;
  return {
    isHeld,
    async release() {
      if (await isHeld()) await unlinkIfThere(file);
    },
  };
}

interface Takeover {
  path: string;
  draft: string;
  common: string;
  /** The identity of the dead file under the common name. */
  dead: string;
}

async function deleteDead({ path, draft, common, dead }: Takeover): Promise<void> {
  for (let number = 0; ; number += 1) {
    const claim = join(path, `${CLAIM_PREFIX}${dead}-${number}`);
    if (await linkNew(draft, claim)) {
      try {
        if ((await identityOf(common)) === dead && !(await answers(common))) await unlinkIfThere(common);
      } finally {
        await unlinkIfThere(claim);
      }
      return;
    }
    if (await answers(claim)) {
      await delay(CLAIM_POLL_MS);
      return;
    }
  }
}

/** Drafts and claims of killed processes. Young ones are kept: a new socket does not answer until it listens. */
async function deleteLeftovers(path: string): Promise<void> {
  const names = await readdir(path);
  for (const name of names.filter((each) => each.startsWith(DRAFT_PREFIX) || each.startsWith(CLAIM_PREFIX))) {
    const file = join(path, name);
    if ((await ageMs(file)) > LEFTOVER_AGE_MS && !(await answers(file))) await unlinkIfThere(file);
  }
}

async function ageMs(file: string): Promise<number> {
  try {
    return Date.now() - (await lstat(file)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** Device, inode and creation time, which links to the file do not change. */
async function identityOf(file: string): Promise<string | undefined> {
  try {
    const { dev, ino, mtimeNs } = await lstat(file, { bigint: true });
    return [dev, ino, mtimeNs].map((each) => each.toString(36)).join('.');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function unlinkIfThere(file: string): Promise<void> {
  try {
    await unlink(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** `dead`: the socket's file does not exist, or nobody listens. `busy`: the listener's queue is full. */
export async function connectToSocket(path: string): Promise<Socket | 'dead' | 'busy'> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    const code = codeOf(error);
    // A listener that ends before it accepts a caller resets the connection.
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ECONNRESET') return 'dead';
    if (code === 'EAGAIN') return 'busy';
    throw error;
  }
}
