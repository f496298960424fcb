import { z } from 'zod';
import { Connection } from './connection.ts';
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
      const bytes = requestBytes(method, path, key, body);
      const outcome = await connection.send({ bytes, isLast: false, isHead: false, isSound: true }, DEADLINE_MS);
      const answered = outcome.kind === 'answered' ? outcome.exchange : null;
      if (answered !== null && answered.status < 300) return jsonIn(answered.body).value;
      const answer = answered === null ? outcome.kind : `${answered.status} ${answered.body.toString('utf8')}`;
      throw new Error(`${method} ${path} was answered with ${answer}; a success was expected`);
    });
  } finally {
    connection.close();
  }
}

/** An ordinary request as bytes. */
export function requestBytes(method: string, path: string, key: string, body?: object): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [`${method} /v1${path} HTTP/1.1`, 'Host: 127.0.0.1', `X-API-Key: ${key}`];
  return Buffer.from([...head, `Content-Length: ${Buffer.byteLength(text)}`, '', text].join('\r\n'));
}

export function idOf(body: unknown): string {
  return withId.parse(body).id;
}
