import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DevnetError } from '../src/service/devnet-error.ts';
import { runPart } from './child.ts';
import { codeOf } from './json.ts';
import { portTaken } from './part.ts';
import { openNode } from './solana/node.ts';
import { solanaGenesisHash } from './solana-marker.ts';

const PORT_PATIENCE_MS = 500;
const PORT_POLL_MS = 50;

/**
 * The process of the local Solana chain, so that an abort of the VM cannot end the supervisor. Its arguments are the
 * file of the chain, the folder's id, the milliseconds of a slot, and the ports in the order of preference.
 */
runPart(async ([path = '', folderId = '', slotMs, ...ports]) => {
  const { chain, listen } = openNode({
    path,
    folderId,
    seed: randomBytes(32).toString('hex'),
    slotMs: Number(slotMs),
    genesisHash: solanaGenesisHash(folderId),
    now: Date.now,
  });
  const port = await listenOnFirst(listen, ports.map(Number));
  return { address: { rpcUrl: `http://127.0.0.1:${port}` }, close: () => chain.close() };
});

/** Listens on the first of these ports that is free, and waits for a moment if another process still has the last. */
async function listenOnFirst(
  listen: (port: number) => Promise<number>,
  [port = 0, ...others]: readonly number[],
): Promise<number> {
  const deadline = performance.now() + PORT_PATIENCE_MS;
  for (;;) {
    try {
      return await listen(port);
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error;
      if (others.length > 0) return listenOnFirst(listen, others);
      if (performance.now() > deadline) throw new DevnetError(portTaken('Solana', port));
      await delay(PORT_POLL_MS);
    }
  }
}
