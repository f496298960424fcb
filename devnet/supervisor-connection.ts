import type { Socket } from 'node:net';
import { join } from 'node:path';
import { folderFiles, withShortPath } from './folder.ts';
import { parseSupervisorMessage, receive, type ServiceMessage, type SupervisorMessage, send } from './protocol.ts';
import { connectToSocket } from './socket-lock.ts';

export interface SupervisorConnection {
  send(message: ServiceMessage): void;
  /** The next unread message that `wanted` accepts; `undefined` if the connection is closed and none is left. */
  next<M extends SupervisorMessage>(wanted: (message: SupervisorMessage) => message is M): Promise<M | undefined>;
  /** Resolves when the connection is closed, because either side has ended. */
  closed: Promise<void>;
  /** Whether this connection keeps the process alive. */
  keepAlive(on: boolean): void;
  destroy(): void;
}

/** Connects to the supervisor of the folder; `undefined` if there is none. */
export async function connectToSupervisor(folderPath: string): Promise<SupervisorConnection | undefined> {
  const socket = await withShortPath(folderPath, (path) => connectToSocket(join(path, folderFiles.socket)));
  return socket === 'dead' || socket === 'busy' ? undefined : conversation(socket);
}

function conversation(socket: Socket): SupervisorConnection {
  const untaken: SupervisorMessage[] = [];
  const waiting = new Set<() => void>();
  let isClosed = false;
  const wake = () => {
    for (const check of [...waiting]) check();
  };
  receive(socket, parseSupervisorMessage, (message) => {
    untaken.push(message);
    wake();
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isClosed = true;
      resolve();
      wake();
    });
  });
  return {
    send: (message) => send(socket, message),
    closed,
    keepAlive: (on) => void (on ? socket.ref() : socket.unref()),
    destroy: () => void socket.destroy(),
    next: (wanted) =>
      new Promise((resolve) => {
        const check = () => {
          const message = untaken.find(wanted);
          if (message === undefined && !isClosed) return;
          waiting.delete(check);
          if (message) untaken.splice(untaken.indexOf(message), 1);
          resolve(message);
        };
        waiting.add(check);
        check();
      }),
  };
}
