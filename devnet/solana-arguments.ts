import { isRecord, parseJson } from './json.ts';

/** The configuration of the process of the local Solana chain, as one command line argument. */
export interface SolanaArguments {
  /** The file of the chain. */
  readonly path: string;
  readonly folderId: string;
  readonly port: number;
  /** The port to use if `port` is taken; null: none. */
  readonly otherwise: number | null;
  /** The duration of a slot; an existing chain keeps its own. */
  readonly slotMs: number;
}

export function writeSolanaArguments(values: SolanaArguments): string {
  return JSON.stringify(values);
}

/** @throws for any text that {@link writeSolanaArguments} did not write */
export function readSolanaArguments(text: string): SolanaArguments {
  const data = parseJson(text);
  if (isRecord(data)) {
    const { path, folderId, port, otherwise, slotMs } = data;
    if (
      typeof path === 'string' &&
      typeof folderId === 'string' &&
      typeof port === 'number' &&
      (typeof otherwise === 'number' || otherwise === null) &&
      typeof slotMs === 'number'
    ) {
      return { path, folderId, port, otherwise, slotMs };
    }
  }
  throw new Error(`expected {path, folderId, port, otherwise, slotMs}; got ${text}`);
}
