import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { messageOf } from '../src/errors/message-of.ts';
import { writeWhole } from './folder.ts';
import { isRecord } from './json.ts';
import type { JsonRpc } from './json-rpc.ts';

/** Between the searches for something to save. */
const CHECK_MS = 1_000;
/** One part in so many of the node's time goes into saves at most: it mines nothing meanwhile, so fewer while there is work. */
const SAVE_SHARE = { atRest: 20, atWork: 60 } as const;

const unzip = promisify(gunzip);

/**
 * Saves a chain into one file, again and again while blocks are made. The file is replaced whole, by a rename, so that
 * whatever is killed when, it holds one complete state or the one before it.
 *
 * (anvil's own `--state` writes in place: killed in the middle, it leaves an empty file that it then refuses to load.)
 */
export interface ChainSaver {
  /** Stops the saving by time and saves once more. @throws when that last save fails */
  finish(): Promise<void>;
  /** Stops the saving by time; a save under way is followed to its end. */
  stop(): Promise<void>;
}

export interface SaverOptions {
  rpc: JsonRpc;
  file: string;
  /** Whether the file holds the chain as it is now. */
  isSaved: boolean;
  log(message: string): void;
}

/** Starts the saving by time. */
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
      if (!stopped.aborted) options.log(`The local EVM chain could not be saved: ${messageOf(error)}`);
    }
    await delay(CHECK_MS, undefined, { signal: stopped }).catch(() => undefined);
  }
}

/** The hash of the newest block; a reorg changes it without raising the number. */
async function headOf({ rpc }: SaverOptions): Promise<string> {
  const block = await rpc.call('eth_getBlockByNumber', ['latest', false]);
  return isRecord(block) ? String(block['hash']) : '';
}

async function saveChain({ rpc, file }: SaverOptions): Promise<void> {
  const dump = await rpc.call('anvil_dumpState');
  if (typeof dump !== 'string' || !dump.startsWith('0x')) throw new Error('anvil_dumpState: expected hex digits');
  await writeWhole(file, await unzip(Buffer.from(dump.slice(2), 'hex')));
}
