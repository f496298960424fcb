import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { codeOf } from './code-of.ts';

/**
 * Connects to the Unix socket at `path`. `dead`: its file does not exist, or no process listens there. `busy`: a
 * process listens, but its queue of callers is full.
 */
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
