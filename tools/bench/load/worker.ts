import { Pool } from 'undici';
import { messageOf } from '../../../src/errors/message-of.ts';
import { answerOrders } from '../answer-orders.ts';
import { type LoadOrder, type LoadReport, loadOrder } from './messages.ts';

/**
 * Sends load from its own process: undici with one pool per origin and number of connections, kept alive from order to
 * order, without pipelining. The loop is closed: each connection sends its next request when it has its answer.
 */
const pools = new Map<string, Pool>();

answerOrders(loadOrder, run);

async function run(order: LoadOrder): Promise<LoadReport> {
  const pool = poolOf(order);
  const began = performance.now();
  const counts = { requests: 0, bytes: 0 };
  const { ms, requests = Number.POSITIVE_INFINITY } = order;
  const connection = async (): Promise<void> => {
    while (performance.now() - began < ms && counts.requests < requests) {
      const ask = order.asks[counts.requests % order.asks.length];
      if (ask === undefined) throw new Error('the order has no requests');
      counts.requests += 1;
      const bytes = await once(pool, ask, order);
      counts.bytes += bytes;
    }
  };
  try {
    await Promise.all(Array.from({ length: order.connections }, connection));
  } catch (error) {
    return { failure: messageOf(error) };
  }
  return { requests: counts.requests, ms: performance.now() - began, bytes: counts.bytes / counts.requests };
}

/** Returns the size of the answer in bytes. */
async function once(
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

function poolOf({ origin, connections }: LoadOrder): Pool {
  const key = `${origin} ${connections}`;
  const pool = pools.get(key) ?? new Pool(origin, { connections, pipelining: 1 });
  pools.set(key, pool);
  return pool;
}
