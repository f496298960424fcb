import { join } from 'node:path';
import { LOCAL_SOLANA_CHAIN } from '../src/chains/catalog-rows.ts';
import { forkedPart } from './child.ts';
import { folderFiles, rememberedPort, writeWhole } from './folder.ts';
import type { Part, PartContext } from './part.ts';

/** It closes at once. A kill after this time loses nothing: every change is written before anybody sees it. */
const STOP_MS = 3000;

/** The local Solana chain in a child process, kept in the data folder. With port 0 it prefers its last port. */
export function solanaPart(context: PartContext): Part {
  const { folder, solanaPort } = context;
  const portFile = join(folder.path, folderFiles.solanaPort);
  const lastPort = async () => (solanaPort === 0 ? rememberedPort(portFile) : undefined);
  return forkedPart(context, {
    name: 'The local Solana chain',
    entry: 'solana-child',
    async prepare() {
      const last = await lastPort();
      const ports = last === undefined ? [solanaPort] : [last, solanaPort];
      const journal = join(folder.path, folderFiles.solanaJournal);
      return [journal, folder.id, ...[LOCAL_SOLANA_CHAIN.blockMs, ...ports].map(String)];
    },
    read: ({ rpcUrl }) => (typeof rpcUrl === 'string' ? rpcUrl : undefined),
    async ready(rpcUrl) {
      const port = Number(new URL(rpcUrl).port);
      if (solanaPort === 0 && port !== (await lastPort())) await writeWhole(portFile, `${port}\n`);
      return { type: 'ready', part: 'solana', address: { rpcUrl } };
    },
    stopMs: STOP_MS,
  });
}
