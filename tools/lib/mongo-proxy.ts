import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { listen } from '../../stage/loopback.ts';

/** A port of this process before a MongoDB. The end of a connection on one side ends the other. */
export class MongoProxy {
  readonly #serve: (client: Socket, server: Socket) => void;
  readonly #upstream: () => Socket;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  /** @param serve passes on what arrives at either end of a new connection */
  constructor(upstream: () => Socket, serve: (client: Socket, server: Socket) => void) {
    this.#upstream = upstream;
    this.#serve = serve;
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get uri(): string {
    return `mongodb://${this.host}/?directConnection=true`;
  }

  get isOpen(): boolean {
    return this.#server !== null;
  }

  /** Both ends of every connection. */
  get sockets(): Iterable<Socket> {
    return this.#sockets;
  }

  /** Listens on the port that it had before, if it had one. */
  async open(): Promise<this> {
    const server = createServer((client) => {
      const upstream = this.#upstream();
      this.#join(client, upstream);
      this.#serve(client, upstream);
    });
    this.#port = await listen(server, this.#port);
    this.#server = server;
    return this;
  }

  /** Breaks all connections, and accepts none until it is opened again. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(one: Socket, other: Socket): void {
    for (const socket of [one, other]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        one.destroy();
        other.destroy();
      });
    }
  }
}
