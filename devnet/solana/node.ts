import { once } from 'node:events';
import type { Server } from 'node:http';
import { PublicKey, SystemProgram, VersionedTransaction } from '@solana/web3.js';
import { legacyMessage, memoInstruction } from '../../src/chains/solana/instructions.ts';
import { faucetKey } from '../solana-keys.ts';
import { createFront } from './front.ts';
import { found } from './genesis.ts';
import type { JournalHead } from './journal.ts';
import { LocalChain } from './local-chain.ts';
import { createSubscriptionServer } from './subscriptions.ts';

interface NodeOptions extends Omit<JournalHead, 'product' | 'startedAt'> {
  /** The file of the chain, which keeps its own slots and seed if it exists. */
  readonly path: string;
  readonly genesisHash: string;
  readonly now: () => number;
}

/** Opens the local chain of a file, with the test tokens and wallets, and a node for it that does not listen yet. */
export function openNode({ path, genesisHash, now, ...head }: NodeOptions) {
  const chain = new LocalChain({ path, head: { product: 'tideline local solana', startedAt: now(), ...head }, now });
  found(chain);
  const rpc = createFront({ chain, genesisHash, airdrop: startFaucet(chain) });
  const sockets = createSubscriptionServer(chain);
  return { chain, rpc, sockets, listen: (port: number) => listenSideBySide(rpc, sockets, port) };
}

/** Sends lamports from the faucet, and returns the signature. Memos differ, so no two transactions are equal. */
function startFaucet(chain: LocalChain): (address: string, lamports: number) => string {
  const faucet = faucetKey();
  const payer = new PublicKey(faucet.address);
  let count = 0;
  return (address, lamports) => {
    count += 1;
    const memo = memoInstruction(`airdrop ${Date.now()}:${count}`, null);
    const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: new PublicKey(address), lamports });
    const message = legacyMessage(faucet.address, chain.slots.blockhash(chain.slots.slot()), [transfer, memo]);
    const transaction = new VersionedTransaction(message);
    transaction.addSignature(payer, faucet.sign(message.serialize()));
    return chain.send(transaction.serialize());
  };
}

const HOST = '127.0.0.1';
const ATTEMPTS = 20;

/**
 * Makes the RPC listen on `port`, and the WebSocket on the next one, where the ordinary client expects it. Resolves
 * with the port of the RPC. With 0, the system chooses two neighbouring free ports. If another process has the port
 * above a given one, the WebSocket is left out; polling clients do not need it. Rejects if `port` itself is taken.
 */
export async function listenSideBySide(rpc: Server, sockets: Server, port: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const bound = await listenOn(rpc, port);
    const hasBoth = await listenOn(sockets, bound + 1).then(
      () => true,
      () => false,
    );
    if (hasBoth || port !== 0) return bound;
    if (attempt === ATTEMPTS) throw new Error(`no two free ports side by side on ${HOST} in ${ATTEMPTS} attempts`);
    rpc.close();
    await once(rpc, 'close');
  }
}

async function listenOn(server: Server, port: number): Promise<number> {
  await once(server.listen(port, HOST), 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
