import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { close, listen } from '../../stage/loopback.ts';

/** One request that arrived. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly rawBody: Buffer;
  /** The body, parsed. */
  readonly envelope: Envelope;
}

interface Envelope {
  readonly id: string;
  readonly event: string;
  readonly sequence: number;
  readonly [more: string]: unknown;
}

type Reply = (response: ServerResponse, request: Received) => void | Promise<void>;

/** An HTTP server on loopback that keeps its requests. */
export interface Receiver {
  readonly port: number;
  readonly url: string;
  readonly received: Received[];
  /** Its answers from now on; at first, an empty 200. */
  reply: Reply;
  /** Holds its answers from now on. The function sends them, and lets later requests have theirs at once. */
  hold(): () => void;
  /** The last request. Throws if none has arrived. */
  last(): Received;
  /** Resolves when it has got `n` requests in all. */
  got(n: number): Promise<void>;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: { readonly n: number; readonly resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then(async (rawBody) => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, rawBody, envelope: JSON.parse(rawBody.toString()) };
      received.push(one);
      for (const { n, resolve } of waiting) if (received.length >= n) resolve();
      await receiver.reply(response, one);
    });
  });
  const port = await listen(server);
  const receiver: Receiver = {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    reply: (response) => void response.end(),
    hold: () => {
      const held: ServerResponse[] = [];
      let isOpen = false;
      receiver.reply = (response) => void (isOpen ? response.end() : held.push(response));
      return () => {
        isOpen = true;
        for (const response of held) response.end();
      };
    },
    last: () => {
      const post = received.at(-1);
      if (!post) throw new Error('nothing came');
      return post;
    },
    got: (n) =>
      received.length >= n ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ n, resolve })),
    close: () => close(server),
  };
  return receiver;
}

/** The signature of a delivery by the reference (section 6: Signature), independent of the tested code. */
export function signatureOf(secret: string, { headers, rawBody }: Received): string {
  return createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(rawBody).digest('hex');
}

/** A TCP server on loopback that passes each connection to a function, and counts them. */
export interface TcpServer {
  readonly port: number;
  readonly connections: () => number;
  close(): Promise<void>;
}

export async function openTcp(serve: (socket: Socket) => void, host = '127.0.0.1', at = 0): Promise<TcpServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    serve(socket);
  });
  const port = await listen(server, at, host);
  return {
    port,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
