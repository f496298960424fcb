import { connect, type Socket } from 'node:net';
import { codeOf } from './code-of.ts';

/**
 * Connects to the Unix socket at `path`. `dead`: its file does not exist, or no process listens there. `busy`: a
 * process listens, but its queue of callers is full.
 */
export function connectToSocket(path: string): Promise<Socket | 'dead' | 'busy'> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.off('error', onError);
      resolve(socket);
    });
    socket.once('error', onError);

    function onError(error: Error): void {
      const code = codeOf(error);
      // A listener that ends before it accepts a caller resets the connection.
      if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ECONNRESET') resolve('dead');
      else if (code === 'EAGAIN') resolve('busy');
      else reject(error);
    }
  });
}
