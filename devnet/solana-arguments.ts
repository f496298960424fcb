import { isRecord, parseJson } from './json.ts';

/** The configuration of the process of the local Solana chain, as one command line argument. */
export interface SolanaArguments {
  /** The file in which the chain is kept. */
  readonly path: string;
  readonly folderId: string;
  readonly port: number;
  /** Where to listen if `port` is taken; null: nowhere. */
  readonly otherwise: number | null;
  /** How long a slot is; a chain that is there keeps its own. */
  readonly slotMs: number;
}

export function writeSolanaArguments(values: SolanaArguments): string {
  return JSON.stringify(values);
}

/** @throws on anything that {@link writeSolanaArguments} did not write */
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
