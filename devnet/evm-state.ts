import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { messageOf } from '../src/errors/message-of.ts';
import { writeWhole } from './folder.ts';
import { isRecord } from './json.ts';
import type { JsonRpc } from './json-rpc.ts';

/** The pause between checks for changes. */
const CHECK_MS = 1_000;
/** Saves take at most one part in this many of the node's time, because it mines nothing meanwhile. */
const SAVE_SHARE = { atRest: 20, atWork: 60 } as const;

const unzip = promisify(gunzip);

/**
 * Saves a chain into one file, repeatedly while blocks are made. A rename replaces the whole file, so after any kill it
 * holds a complete state, the new or the old one.
 *
 * (anvil's own `--state` writes in place: a kill in the middle leaves an empty file, which it then refuses to load.)
 */
export interface ChainSaver {
  /** Ends the repeated saves, and saves once more. @throws if that last save fails */
  finish(): Promise<void>;
  /** Ends the repeated saves, after the current one. */
  stop(): Promise<void>;
}

export interface SaverOptions {
  rpc: JsonRpc;
  file: string;
  /** True if the file already holds the current chain. */
  isSaved: boolean;
  log(message: string): void;
}

export function startSaver(options: SaverOptions): ChainSaver {
  const stopped = new AbortController();
  const done = saveWhenChanged(options, stopped.signal);
  const stop = async () => {
    stopped.abort();
    await done;
  };
  return {
    stop,
    async finish() {
      await stop();
      await saveChain(options);
    },
  };
}

async function saveWhenChanged(options: SaverOptions, stopped: AbortSignal): Promise<void> {
  let saved = options.isSaved ? await headOf(options).catch(() => '') : '';
  let seen = saved;
  let last = { endedAt: 0, tookMs: 0 };
  while (!stopped.aborted) {
    try {
      const head = await headOf(options);
      const share = head === seen ? SAVE_SHARE.atRest : SAVE_SHARE.atWork;
      seen = head;
      const began = performance.now();
      if (head !== saved && began - last.endedAt >= last.tookMs * share) {
        await saveChain(options);
        saved = head;
        last = { endedAt: performance.now(), tookMs: performance.now() - began };
      }
    } catch (error) {
      if (!stopped.aborted)
        options.log(`Saving the local EVM chain failed, and will be tried again: ${messageOf(error)}`);
    }
    await delay(CHECK_MS, undefined, { signal: stopped }).catch(() => undefined);
  }
}

/** The hash of the newest block; a reorg changes it even if the number stays. */
async function headOf({ rpc }: SaverOptions): Promise<string> {
  const block = await rpc.call('eth_getBlockByNumber', ['latest', false]);
  return isRecord(block) ? String(block['hash']) : '';
}

async function saveChain({ rpc, file }: SaverOptions): Promise<void> {
  const dump = await rpc.call('anvil_dumpState');
  if (typeof dump !== 'string' || !dump.startsWith('0x')) throw new Error('anvil_dumpState: expected hex digits');
  await writeWhole(file, await unzip(Buffer.from(dump.slice(2), 'hex')));
}
