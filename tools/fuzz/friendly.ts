import { z } from 'zod';
import { type Bytes, Connection } from './connection.ts';
import { jsonIn } from './judge.ts';
import type { FuzzWorld } from './world.ts';

const DEADLINE_MS = 60_000;
const withId = z.object({ id: z.string() });

/** An ordinary request that must succeed. */
export type Ask = (method: string, path: string, body?: object) => Promise<unknown>;

/** Sends requests with one key over a connection of its own until `use` ends. A request without success throws. */
export async function friendly<T>(world: FuzzWorld, key: string, use: (ask: Ask) => Promise<T>): Promise<T> {
  const connection = new Connection(world.port);
  try {
    return await use(async (method, path, body) => {
      world.tick();
      const outcome = await connection.send(ordinaryRequest(method, path, key, body), DEADLINE_MS);
      const answered = outcome.kind === 'answered' ? outcome.exchange : null;
      if (answered !== null && answered.status < 300) return jsonIn(answered.body).value;
      const answer = answered === null ? outcome.kind : `${answered.status} ${answered.body.toString('utf8')}`;
      throw new Error(`${method} ${path} was answered with ${answer}; a success was expected`);
    });
  } finally {
    connection.close();
  }
}

export function ordinaryRequest(method: string, path: string, key: string, body?: object): Bytes {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [`${method} /v1${path} HTTP/1.1`, 'Host: 127.0.0.1', `X-API-Key: ${key}`];
  const bytes = Buffer.from([...head, `Content-Length: ${Buffer.byteLength(text)}`, '', text].join('\r\n'));
  return { bytes, isLast: false, isHead: false, isSound: true };
}

export function idOf(body: unknown): string {
  return withId.parse(body).id;
}
