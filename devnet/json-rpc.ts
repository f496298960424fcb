import { Agent, request } from 'node:http';
import { isRecord, parseJson } from './json.ts';

/** Calls one JSON-RPC server on the loopback interface. */
export interface JsonRpc {
  /** @throws for a refused connection, a time-out, an invalid answer, and the server's own error */
  call(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Closes idle connections. */
  close(): void;
}

/** Keeps its connections alive. No library, because the supervisor must start in a fraction of a second. */
export function jsonRpc(url: string, timeoutMs: number): JsonRpc {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  return {
    async call(method, params = []) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const answer = parseJson(await post(url, body, agent, timeoutMs));
      if (!isRecord(answer)) throw new Error(`${method}: the answer of ${url} is not JSON-RPC`);
      const { error, result } = answer;
      if (isRecord(error)) throw new Error(`${method}: ${String(error['message'])}`);
      return result;
    },
    close: () => agent.destroy(),
  };
}

function post(url: string, body: string, agent: Agent, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers, timeout: timeoutMs }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    sent.once('timeout', () => sent.destroy(new Error(`${url} did not answer within ${timeoutMs} ms`)));
    sent.once('error', reject);
    sent.end(body);
  });
}
