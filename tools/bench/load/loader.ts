import type { BenchRun } from '../bench.ts';
import { startChild } from '../child.ts';
import type { Side } from '../contest.ts';
import { type LoadOrder, loadReport } from './messages.ts';

/** The result of an order. */
interface Load {
  readonly requests: number;
  /** Milliseconds per request: elapsed time ÷ requests, although several run at the same time. */
  readonly msEach: number;
  /** The average size of a body. */
  readonly bytes: number;
}

/** The process that sends the load. Neither the product nor a baseline runs in it. */
export interface Loader {
  /** Throws if an answer has another status than ordered. */
  load(order: LoadOrder): Promise<Load>;
  stop(): Promise<void>;
}

export function startLoader(): Loader {
  const child = startChild(import.meta.url, './worker.ts');
  return {
    load: async (order) => {
      const report = await child.ask(order, loadReport);
      if ('failure' in report) throw new Error(`${order.method} ${order.origin}: ${report.failure}`);
      const { requests, ms, bytes } = report;
      return { requests, msEach: ms / requests, bytes };
    },
    stop: () => child.stop(),
  };
}

const CONNECTIONS = 4;

/** Milliseconds per request for one path of the merchant API, by 4 connections for a moment. */
export function readingSide(
  { loader }: { readonly loader: Loader },
  { size }: Pick<BenchRun, 'size'>,
  { origin, path, key }: { readonly origin: string; readonly path: string; readonly key: string },
): Side {
  const asks = [{ path: `/v1${path}`, headers: { 'x-api-key': key } }];
  const ms = size === 'full' ? 500 : 250;
  const order = { origin, method: 'GET', asks, body: null, connections: CONNECTIONS, ms, status: 200 } as const;
  return async () => (await loader.load(order)).msEach;
}
