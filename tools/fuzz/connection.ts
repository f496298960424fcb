import { once } from 'node:events';
import { Agent, type ClientRequest, type ClientRequestArgs, type IncomingMessage, request as open } from 'node:http';
import { connect, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Wire } from './request.ts';

/** An answer; its head has one character per byte. */
export interface Exchange {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly ms: number;
}

/** `closed`: the connection ended, or had something else than HTTP, before the end of an answer. */
export type Outcome = Exchange | 'closed' | 'late';

type Bytes = Pick<Wire, 'bytes' | 'isLast' | 'isHead' | 'isSound'>;

/** A kept HTTP/1.1 connection. Node reads the answers, but the bytes sent are such as no client would send. */
export class Connection {
  readonly #port: number;
  readonly #agent = new SilentAgent({ keepAlive: true, maxSockets: 1 });

  constructor(port: number) {
    this.#port = port;
  }

  /** Never rejects, whatever the server does. */
  async send(sent: Bytes, deadlineMs: number): Promise<Outcome> {
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(deadlineMs);
    const method = sent.isHead ? 'HEAD' : 'GET';
    const request = open({ agent: this.#agent, host: '127.0.0.1', port: this.#port, method, signal });
    request.once('socket', (socket) => {
      if (sent.isLast) Socket.prototype.end.call(socket, sent.bytes);
      else Socket.prototype.write.call(socket, sent.bytes);
    });
    try {
      const response = await answerOf(request);
      const { statusCode: status = 0, rawHeaders } = response;
      const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
      return { status, headers: pairs, body: await buffer(response), ms: performance.now() - startedAt };
    } catch {
      if (signal.aborted) return 'late';
      // The server may have closed an idle connection before it saw this request.
      return request.reusedSocket && sent.isSound ? this.send(sent, deadlineMs) : 'closed';
    } finally {
      if (!sent.isSound) request.destroy();
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  // An error after the answer must not be unhandled.
  request.on('error', () => undefined);
  const [response] = await once(request.end(), 'response');
  return response;
}

/** Its connections swallow what Node would send. */
class SilentAgent extends Agent {
  override createConnection({ port }: ClientRequestArgs): Socket {
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    return Object.assign(socket, { write: swallowed });
  }
}

function swallowed(...args: readonly unknown[]): boolean {
  for (const done of args) if (typeof done === 'function') process.nextTick(done);
  return true;
}
