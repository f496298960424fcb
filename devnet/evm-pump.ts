import { setTimeout as delay } from 'node:timers/promises';
import type { JsonRpc } from './json-rpc.ts';

/** The timing of blocks; all times in milliseconds. */
interface PumpSettings {
  /** The pause between checks; it is `idleMs` if no block was made for `restMs`. */
  checkMs: number;
  idleMs: number;
  restMs: number;
  /** With more than this many pending transactions, blocks are at least `burstMs` apart. */
  burst: number;
  burstMs: number;
  /** The pause is at least this many times the duration of the last block, but not for that longer than `pauseMs`. */
  blockShare: number;
  pauseMs: number;
  /** After `settleMs` without transactions an empty block is made, up to this many after the last transaction. */
  settleBlocks: number;
  settleMs: number;
}

const pumpSettings: PumpSettings = {
  checkMs: 20,
  idleMs: 60,
  restMs: 2_000,
  burst: 50,
  burstMs: 200,
  blockShare: 10,
  pauseMs: 200,
  settleBlocks: 2,
  settleMs: 500,
};

export interface PumpOptions {
  rpc: JsonRpc;
  /** True for a new chain, which has nothing to settle yet. */
  isNew: boolean;
  settings?: Partial<PumpSettings>;
}

/**
 * Mines a block when transactions are pending. anvil's own automine loses transactions under bursts and leaves a full
 * pool; larger and rarer blocks are also much cheaper, because each block copies the state.
 *
 * A few empty blocks follow the last transaction, as on a real chain. They make its block `finalized` (two blocks deep
 * on this chain). They also wake clients that wait for the next block before they check again, such as `wait()` of
 * ethers when the block came between its first check and its subscription.
 *
 * Errors of the node do not stop the pump: the part notices a dead node, and a failed call is repeated. `stop` resolves
 * when no call is under way.
 */
export function startPump({ rpc, isNew, settings = {} }: PumpOptions): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const done = pump(rpc, isNew, { ...pumpSettings, ...settings }, stopped.signal);
  return {
    async stop() {
      stopped.abort();
      await done;
    },
  };
}

/** Makes blocks until nothing is pending, before the chain is saved for the last time. */
export async function mineAllPending(rpc: JsonRpc): Promise<void> {
  let waiting = await pendingCount(rpc);
  while (waiting > 0) {
    await rpc.call('evm_mine');
    const left = await pendingCount(rpc);
    // The next block will not take these transactions either.
    if (left >= waiting) return;
    waiting = left;
  }
}

async function pump(rpc: JsonRpc, isNew: boolean, settings: PumpSettings, stopped: AbortSignal): Promise<void> {
  const { checkMs, idleMs, restMs, burst, burstMs, blockShare, pauseMs: longestMs, settleBlocks, settleMs } = settings;
  let minedAt = 0;
  let tookMs = 0;
  let unsettled = isNew ? 0 : settleBlocks;
  while (!stopped.aborted) {
    try {
      const waiting = await pendingCount(rpc);
      const restedMs = performance.now() - minedAt;
      const leastMs = Math.max(waiting > burst ? burstMs : 0, Math.min(longestMs, tookMs * blockShare));
      const isDue = waiting > 0 ? restedMs >= leastMs : unsettled > 0 && restedMs >= settleMs;
      if (isDue) {
        minedAt = performance.now();
        await rpc.call('evm_mine');
        tookMs = performance.now() - minedAt;
        const isLaden = waiting > 0 || (await minedCount(rpc)) > 0;
        unsettled = isLaden ? settleBlocks : unsettled - 1;
      }
    } catch {
      // The next check tries again.
    }
    const pauseMs = performance.now() - minedAt > restMs ? idleMs : checkMs;
    await delay(pauseMs, undefined, { signal: stopped }).catch(() => undefined);
  }
}

/** The number of transactions in the newest block. One may have arrived after the check for an empty block. */
async function minedCount(rpc: JsonRpc): Promise<number> {
  return Number(await rpc.call('eth_getBlockTransactionCountByNumber', ['latest']));
}

async function pendingCount(rpc: JsonRpc): Promise<number> {
  const status = await rpc.call('txpool_status');
  const pending = typeof status === 'object' && status !== null && 'pending' in status ? status.pending : 0;
  return Number(pending);
}
