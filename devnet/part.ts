import type { Folder } from './folder.ts';
import type { PartReady } from './protocol.ts';

/** What a part is given by its supervisor. */
export interface PartContext {
  folder: Folder;
  /** A private folder for sockets: its path is short, it is new at each start and deleted at the end. */
  runFolder: string;
  /** The port of the local EVM node; 0 lets it choose, the same one again at the next start if that is free. */
  evmPort: number;
  /** The same of the local Solana chain. */
  solanaPort: number;
  /** Whether the local EVM chain is to be there again at the next start. */
  savesEvm: boolean;
  /** Called at most once, when a part that had started is no more, with what is known about why. */
  died(why: string): void;
  log(message: string): void;
}

/**
 * One thing that a supervisor runs in a child process. The supervisor calls `start` once, then `stop` once; nothing of
 * the part is left running when `stop` has resolved, whether or not `start` succeeded.
 */
export interface Part {
  /** Resolves when the part answers, with its address. Rejects with a DevnetError that says what to do. */
  start(): Promise<PartReady>;
  /** Saves what is not saved yet, and ends the child. Never rejects: what went wrong is logged. */
  stop(): Promise<void>;
  /** Ends the child at once, saving nothing: the data folder is no longer this supervisor's. */
  kill(): void;
}
