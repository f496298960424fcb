import type { Folder } from './folder.ts';
import type { PartReady } from './protocol.ts';

export interface PartContext {
  folder: Folder;
  /** A private folder for sockets. Its path is short; it is new at each start and deleted at the end. */
  runFolder: string;
  /** The port of the local EVM node. With 0 the node chooses, and prefers its last port if that is free. */
  evmPort: number;
  /** The same for the local Solana chain. */
  solanaPort: number;
  /** True if the local EVM chain must survive a restart. */
  savesEvm: boolean;
  /** As in `JoinOptions`. */
  isEvmLarge: boolean;
  /** Called at most once, when a part that had started has died, with the known reason. */
  died(why: string): void;
  log(message: string): void;
}

/** Why a local chain does not start on this port, and what to do. */
export function portTaken(chain: 'EVM' | 'Solana', port: number): string {
  const what = `Port ${port} on 127.0.0.1, meant for the local ${chain} chain, is taken by another process`;
  return `${what}. Set LOCAL_${chain.toUpperCase()}_PORT to a free one; 0 lets the chain choose.`;
}

/** A process of the supervisor: one `start`, then one `stop`, after which nothing runs, even if `start` failed. */
export interface Part {
  /** Resolves with its address when the part answers. Rejects with a DevnetError that says what to do. */
  start(): Promise<PartReady>;
  /** Saves unsaved state and ends the child. Never rejects; errors are logged. */
  stop(): Promise<void>;
  /** Ends the child at once without saving: the data folder no longer belongs to this supervisor. */
  kill(): void;
}
