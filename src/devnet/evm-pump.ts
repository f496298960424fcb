import { setTimeout as delay } from 'node:timers/promises';
import type { JsonRpc } from './json-rpc.ts';

/** How the pump mines; all times in milliseconds. */
export interface PumpSettings {
  lookMs: number;
  /** With more than this many transactions waiting, a block is made only every `burstMs`. */
  burst: number;
  burstMs: number;
}

export const pumpSettings: PumpSettings = { lookMs: 20, burst: 50, burstMs: 200 };

/**
 * Mines a block when something is pending. anvil's own automine loses track under bursts and leaves a full pool behind;
 * larger and rarer blocks are also much cheaper, because each block copies the state.
 *
 * An error of the node ends nothing here: a node that has died is noticed by its part, and one that stutters is asked
 * again. `stop` resolves when no call is under way.
 */
export function startPump(rpc: JsonRpc, settings: PumpSettings = pumpSettings): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const done = pump(rpc, settings, stopped.signal);
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

async function pump(rpc: JsonRpc, { lookMs, burst, burstMs }: PumpSettings, stopped: AbortSignal): Promise<void> {
  let minedAt = 0;
  while (!stopped.aborted) {
    try {
      const waiting = await pendingCount(rpc);
      if (waiting > 0 && (waiting <= burst || performance.now() - minedAt >= burstMs)) {
        minedAt = performance.now();
        await rpc.call('evm_mine');
      }
    } catch {
      // Asked again at the next look.
    }
    await delay(lookMs, undefined, { signal: stopped }).catch(() => undefined);
  }
}

async function pendingCount(rpc: JsonRpc): Promise<number> {
  const status = await rpc.call('txpool_status');
  const pending = typeof status === 'object' && status !== null && 'pending' in status ? status.pending : 0;
  return Number(pending);
}
