import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';

const call = z.object({
  id: z.union([z.number(), z.string()]),
  method: z.string(),
  params: z.looseObject({
    topic: z.string().optional(),
    topics: z.array(z.string()).optional(),
    message: z.string().optional(),
    tag: z.number().optional(),
    pairingTopic: z.string().optional(),
    sessionTopic: z.string().optional(),
    sessionProposal: z.string().optional(),
    sessionProposalResponse: z.string().optional(),
    sessionSettlementRequest: z.string().optional(),
    tvf: z.looseObject({}).optional(),
  }),
});

interface Message {
  readonly topic: string;
  readonly message: string;
  readonly tag: number;
  readonly publishedAt: number;
}

/**
 * A stand-in for the relay of WalletConnect, a public service that tests cannot reach. It passes encrypted messages
 * from one subscriber of a topic to the others, and keeps a message until there is one: as far as the real one does the
 * same, the methods are its own (`irn_*`, `wc_*`). It checks no project and no signature of a client.
 */
export class WalletConnectRelay {
  readonly #server: WebSocketServer;
  readonly #topics = new Map<string, Set<WebSocket>>();
  readonly #kept: Message[] = [];
  /** The projects whose clients have told it about requests in the clear. */
  readonly told = new Set<string | null>();

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket, { url = '' }) => {
      const project = new URL(url, 'ws://relay').searchParams.get('projectId');
      socket.on('message', (text) => this.#hear(socket, project, String(text)));
      socket.on('close', () => {
        for (const sockets of this.#topics.values()) sockets.delete(socket);
      });
    });
  }

  static async listen(port: number): Promise<WalletConnectRelay> {
    const server = new WebSocketServer({ host: '127.0.0.1', port });
    await once(server, 'listening');
    return new WalletConnectRelay(server);
  }

  async close(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #hear(socket: WebSocket, project: string | null, text: string): void {
    // Clients also acknowledge what they get.
    const heard = call.safeParse(JSON.parse(text));
    if (!heard.success) return;
    const { id, method, params } = heard.data;
    if (params.tvf !== undefined) this.told.add(project);
    const result = this.#answer(socket, method, params);
    socket.send(JSON.stringify({ id, jsonrpc: '2.0', result }));
  }

  #answer(socket: WebSocket, method: string, params: z.output<typeof call>['params']): unknown {
    const { topic = '', topics = [], message = '', tag = 0, pairingTopic = '', sessionTopic = '' } = params;
    const publish = (to: string, what = '') =>
      this.#publish(socket, { topic: to, message: what, tag, publishedAt: Date.now() });
    switch (method) {
      case 'irn_subscribe':
        this.#subscribe(socket, topic);
        return randomUUID();
      case 'irn_batchSubscribe':
        for (const each of topics) this.#subscribe(socket, each);
        return topics.map(() => randomUUID());
      case 'irn_unsubscribe':
        return this.#topics.get(topic)?.delete(socket) === true;
      case 'irn_publish':
        return publish(topic, message);
      case 'wc_proposeSession':
        this.#subscribe(socket, pairingTopic);
        return publish(pairingTopic, params.sessionProposal);
      case 'wc_approveSession':
        this.#subscribe(socket, sessionTopic);
        publish(pairingTopic, params.sessionProposalResponse);
        return publish(sessionTopic, params.sessionSettlementRequest);
      default:
        return { messages: [], hasMore: false };
    }
  }

  #subscribe(socket: WebSocket, topic: string): void {
    const sockets = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, sockets.add(socket));
    const waiting = this.#kept.filter((each) => each.topic === topic);
    for (const each of waiting) {
      this.#kept.splice(this.#kept.indexOf(each), 1);
      // Real time lies between the answer to a subscription and its first message.
      setImmediate(() => deliver(socket, each));
    }
  }

  #publish(sender: WebSocket, message: Message): true {
    const others = [...(this.#topics.get(message.topic) ?? [])].filter((socket) => socket !== sender);
    for (const socket of others) deliver(socket, message);
    if (others.length === 0) this.#kept.push(message);
    return true;
  }
}

function deliver(socket: WebSocket, data: Message): void {
  const params = { id: randomUUID(), data };
  socket.send(JSON.stringify({ id: Date.now() * 1_000, jsonrpc: '2.0', method: 'irn_subscription', params }));
}
