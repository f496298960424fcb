import { Pool } from 'undici';
import { serve } from '../lib/child.ts';

/** Requests over kept-alive connections for a time. */
export interface LoadOrder {
  readonly origin: string;
  readonly method: 'GET' | 'POST';
  /** The requests in turn, from the first. */
  readonly asks: readonly { readonly path: string; readonly headers: Readonly<Record<string, string>> }[];
  readonly body: string | null;
  /** Connections, each with one request at a time. */
  readonly connections: number;
  readonly ms: number;
  /** Any other status ends the run. */
  readonly status: number;
}

/**
 * Sends load from its own process: undici with one pool per origin and number of connections, kept alive from order to
 * order, without pipelining. The loop is closed: each connection sends its next request when it has its answer.
 */
function open() {
  const pools = new Map<string, Pool>();
  const poolOf = ({ origin, connections }: LoadOrder): Pool => {
    const key = `${origin} ${connections}`;
    const pool = pools.get(key) ?? new Pool(origin, { connections, pipelining: 1 });
    pools.set(key, pool);
    return pool;
  };
  return { load: (order: LoadOrder) => load(poolOf(order), order) };
}
export type LoadWorker = typeof open;

/** The number of requests, and the average size of a body. */
async function load(pool: Pool, order: LoadOrder): Promise<{ requests: number; bytes: number }> {
  const { asks, connections, ms } = order;
  const began = performance.now();
  let [requests, bytes] = [0, 0];
  const connection = async (): Promise<void> => {
    while (performance.now() - began < ms) {
      const ask = asks[requests % asks.length];
      if (ask === undefined) throw new Error('the order has no requests');
      requests += 1;
      const size = await sizeOfAnswer(pool, ask, order);
      bytes += size;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return { requests, bytes: bytes / requests };
}

async function sizeOfAnswer(
  pool: Pool,
  { path, headers }: LoadOrder['asks'][number],
  { method, body, status }: LoadOrder,
): Promise<number> {
  const answer = await pool.request({ method, path, headers, body });
  const bytes = await answer.body.bytes();
  if (answer.statusCode === status) return bytes.length;
  const text = Buffer.from(bytes).toString().slice(0, 200);
  throw new Error(`${method} ${path} answered ${answer.statusCode} (${text}); expected ${status}`);
}

serve(open);
