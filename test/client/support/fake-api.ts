import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen } from '../../../stage/loopback.ts';
import { afterEachFile } from '../../runner/after.ts';

/** One answer of the fake: JSON, raw text, or a connection that is cut before or during an answer. */
type FakeReply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'cut'
  | 'cut in the middle'
  | 'silence';

/** A request that arrived. */
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An HTTP server with scripted answers; the last one repeats. */
export interface FakeApi {
  /** With its version segment. */
  readonly baseUrl: string;
  readonly seen: Seen[];
  answer(...replies: FakeReply[]): void;
  close(): Promise<void>;
}

const running = new Set<FakeApi>();

afterEachFile(async () => {
  for (const each of running) await each.close();
});

export async function startFakeApi(): Promise<FakeApi> {
  const seen: Seen[] = [];
  let replies: FakeReply[] = [];
  const server = createServer((request, response) => {
    void take(request).then((one) => {
      seen.push(one);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      if (reply !== undefined) give(reply, response);
    });
  });
  const port = await listen(server);
  const fake: FakeApi = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    seen,
    answer: (...given) => {
      replies = given;
    },
    close: async () => {
      running.delete(fake);
      await close(server);
    },
  };
  running.add(fake);
  return fake;
}

async function take(request: IncomingMessage): Promise<Seen> {
  const { method = '', url = '', headers } = request;
  return { method, url, headers, body: await text(request) };
}

function give(reply: FakeReply, response: ServerResponse): void {
  if (reply === 'silence') return;
  if (reply === 'cut') return void response.destroy();
  if (reply === 'cut in the middle') {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
    response.write('{"offers": [', () => response.destroy());
    return;
  }
  const { status, body = {}, headers = {} } = reply;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
