import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request } from 'undici';

export interface Called {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a proxy does with one request: pass it on, drop it unseen, or pass it on and drop the answer. */
export type Treatment = 'pass' | 'drop' | 'swallow';

/** A node that does not always answer, in front of one that does. */
export interface RpcProxy {
  readonly url: string;
  /** Looked at for every request, which may hold several calls. */
  treat: (calls: readonly Called[]) => Treatment;
  /** May change the answers (a list, if several were asked). */
  rewrite: (answer: unknown, calls: readonly Called[]) => unknown;
  readonly seen: Called[];
  stop(): Promise<void>;
}

export async function startProxy(target: string): Promise<RpcProxy> {
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${address.port}`,
    treat: () => 'pass',
    rewrite: (answer) => answer,
    seen: [],
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks).toString();
    const json: unknown = JSON.parse(body);
    const calls: Called[] = Array.isArray(json) ? json : [json];
    proxy.seen.push(...calls);
    const treatment = proxy.treat(calls);
    if (treatment === 'drop') {
      incoming.socket.destroy();
      return;
    }
    const answer = await request(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await answer.body.text();
    if (treatment === 'swallow') {
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(answer.statusCode, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify(proxy.rewrite(JSON.parse(text), calls)));
  }
  return proxy;
}
