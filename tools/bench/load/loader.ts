import { startChild } from '../child.ts';
import { type LoadOrder, loadReport } from './messages.ts';

/** What came of an order. */
export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  /** How long one took, of those that were under way together: elapsed time ÷ requests. */
  readonly msEach: number;
  /** Of one body, on average. */
  readonly bytes: number;
}

/** The process that makes load: nothing of the product or of a baseline runs in it. */
export interface Loader {
  /** Throws when an answer has another status than the one that was ordered. */
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
      return { requests, perSecond: (requests / ms) * 1_000, msEach: ms / requests, bytes };
    },
    stop: () => child.stop(),
  };
}
