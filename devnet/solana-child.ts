import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../src/errors/message-of.ts';
import { DevnetError } from '../src/service/devnet-error.ts';
import { codeOf } from './code-of.ts';
import { startFaucet } from './solana/faucet.ts';
import { createFront } from './solana/front.ts';
import { found } from './solana/genesis.ts';
import { LocalChain } from './solana/local-chain.ts';
import { listenSideBySide } from './solana/side-by-side.ts';
import { createSubscriptionServer } from './solana/subscriptions.ts';
import { readSolanaArguments } from './solana-arguments.ts';
import { solanaGenesisHash } from './solana-marker.ts';

const HOST = '127.0.0.1';
const PORT_PATIENCE_MS = 500;
const PORT_POLL_MS = 50;

/**
 * The process of the local Solana chain, so that an abort of the VM cannot end the supervisor. Started by `fork` with
 * its arguments as JSON. It sends `ready` or `failed`, and closes at the message `stop` or when its parent is gone,
 * even after a kill.
 */
async function main(text: string): Promise<void> {
  const { path, folderId, port, otherwise, slotMs } = readSolanaArguments(text);
  const seed = randomBytes(32).toString('hex');
  const head = { product: 'tideline local solana', folderId, seed, startedAt: Date.now(), slotMs } as const;
  const chain = new LocalChain({ path, head, now: Date.now });
  found(chain);
  const front = createFront({ chain, genesisHash: solanaGenesisHash(folderId), airdrop: startFaucet(chain) });
  let closing = false;
  const close = () => {
    if (closing) return;
    closing = true;
    chain.close();
    process.exit(0);
  };
  process.on('message', (message) => {
    if (message === 'stop') close();
  });
  process.on('disconnect', close);

  const sockets = createSubscriptionServer(chain);
  const bound = await listen((at) => listenSideBySide(front, sockets, at), port, otherwise);
  process.send?.({ type: 'ready', rpcUrl: `http://${HOST}:${bound}` });
}

/** Listens on `port`, and waits for a moment if another process still has it; then on `otherwise`. */
async function listen(on: (port: number) => Promise<number>, port: number, otherwise: number | null): Promise<number> {
  const deadline = performance.now() + PORT_PATIENCE_MS;
  for (;;) {
    try {
      return await on(port);
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error;
      if (otherwise !== null) return on(otherwise);
      if (performance.now() > deadline) throw new DevnetError(portTaken(port));
      await delay(PORT_POLL_MS);
    }
  }
}

function portTaken(port: number): string {
  return (
    `Port ${port} on ${HOST}, meant for the local Solana chain, is taken by another process. Set LOCAL_SOLANA_PORT to a ` +
    'free one; 0 lets the chain choose.'
  );
}

main(process.argv[2] ?? '').catch((error: unknown) => {
  process.send?.({ type: 'failed', message: messageOf(error) }, () => process.exit(1));
});
