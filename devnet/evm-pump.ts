import { setTimeout as delay } from 'node:timers/promises';
import type { JsonRpc } from './json-rpc.ts';

/** How the pump mines; all times in milliseconds. */
export interface PumpSettings {
  /** Checks are this far apart, and `idleMs` when nothing has come for `restMs`. */
  checkMs: number;
  idleMs: number;
  restMs: number;
  /** With more than this many transactions waiting, a block is made only every `burstMs`. */
  burst: number;
  burstMs: number;
  /** With fewer waiting, blocks take one part in so many of the node's time, unless that makes them rarer still. */
  blockShare: number;
  /** When nothing has come for `settleMs`, an empty block is made, until this many lie on the last transaction. */
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
  settleBlocks: 2,
  settleMs: 500,
};

export interface PumpOptions {
  rpc: JsonRpc;
  /** Whether the chain was made just now: then there is nothing to settle yet. */
  isNew: boolean;
  settings?: PumpSettings;
}

/**
 * Mines a block when something is pending. anvil's own automine loses track under bursts and leaves a full pool behind;
 * larger and rarer blocks are also much cheaper, because each block copies the state.
 *
 * After the last transaction a few empty blocks follow, because a real chain goes on: they make its block `finalized`
 * (two blocks deep on this chain), and wake clients that wait for the next block before they check again, as `wait()` of
 * ethers does when the block came between its first check and its subscription.
 *
 * An error of the node ends nothing here: a node that has died is noticed by its part, and one that stutters is asked
 * again. `stop` resolves when no call is under way.
 */
export function startPump({ rpc, isNew, settings = pumpSettings }: PumpOptions): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const done = pump(rpc, isNew, settings, stopped.signal);
  return {
    async stop() {
      stopped.abort();
      await done;
    },
  };
}

/** Makes blocks until nothing is pending; for the moment before the chain is saved for good. */
export async function mineAllPending(rpc: JsonRpc): Promise<void> {
  let waiting = await pendingCount(rpc);
  while (waiting > 0) {
    await rpc.call('evm_mine');
    const left = await pendingCount(rpc);
    // What a block did not take, the next one will not take either.
    if (left >= waiting) return;
    waiting = left;
  }
}

async function pump(rpc: JsonRpc, isNew: boolean, settings: PumpSettings, stopped: AbortSignal): Promise<void> {
  const { checkMs, idleMs, restMs, burst, burstMs, blockShare, settleBlocks, settleMs } = settings;
  let minedAt = 0;
  let tookMs = 0;
  let unsettled = isNew ? 0 : settleBlocks;
  while (!stopped.aborted) {
    try {
      const waiting = await pendingCount(rpc);
      const restedMs = performance.now() - minedAt;
      const leastMs = waiting > burst ? burstMs : Math.min(burstMs, tookMs * blockShare);
      const isDue = waiting > 0 ? restedMs >= leastMs : unsettled > 0 && restedMs >= settleMs;
      if (isDue) {
        minedAt = performance.now();
        await rpc.call('evm_mine');
        tookMs = performance.now() - minedAt;
        const isLaden = waiting > 0 || (await minedCount(rpc)) > 0;
        unsettled = isLaden ? settleBlocks : unsettled - 1;
      }
    } catch {
      // Asked again at the next check.
    }
    const pauseMs = performance.now() - minedAt > restMs ? idleMs : checkMs;
    await delay(pauseMs, undefined, { signal: stopped }).catch(() => undefined);
  }
}

/** Transactions of the newest block: one may have come between the check and the block that was to be empty. */
async function minedCount(rpc: JsonRpc): Promise<number> {
  return Number(await rpc.call('eth_getBlockTransactionCountByNumber', ['latest']));
}

async function pendingCount(rpc: JsonRpc): Promise<number> {
  const status = await rpc.call('txpool_status');
  const pending = typeof status === 'object' && status !== null && 'pending' in status ? status.pending : 0;
  return Number(pending);
}
