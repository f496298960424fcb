import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../src/errors/message-of.ts';
import { DevnetError } from '../src/service/devnet-error.ts';
import { EVM_MARKER_ADDRESS, evmMarkerCode } from './evm-marker.ts';
import { type ChainSource, type EvmNode, genesis, launchEvmNode, PortTaken } from './evm-node.ts';
import { mineAllPending, startPump } from './evm-pump.ts';
import { startSaver } from './evm-state.ts';
import { type Folder, folderFiles, rememberedPort, writeWhole } from './folder.ts';
import { jsonRpc } from './json-rpc.ts';
import type { Part, PartContext } from './part.ts';

const FREE_PORT_TRIES = 5;
const PORT_PATIENCE_MS = 500;
const PORT_POLL_MS = 50;
/** A dump of a large chain takes some hundred milliseconds. A node that is silent for longer will not answer. */
const CALL_MS = 20_000;
/** The longest pause after a slow block. 1,600 charges of a sender are in flight: a longer one would hold it up. */
const LARGE_PAUSE_MS = 5_000;
/** The newest blocks whose state the node keeps. Each is a copy of all: with 64 and a million charges, 9 GB. */
const STATES = { usual: 64, large: 16 } as const;

/** The local EVM chain: anvil in a child process, with blocks by the pump. Its state is saved in the data folder. */
export function evmPart(context: PartContext): Part {
  let node: EvmNode | undefined;
  let keeper: ChainKeeper | undefined;
  let dead = false;
  let stopping = false;

  return {
    async start() {
      const source = await chainSource(context.folder);
      node = await launchOnPort(context, source);
      keeper = keepChain(node.rpcUrl, context, source);
      void node.ended.then((why) => {
        dead = true;
        if (!stopping) context.died(why);
      });
      return { type: 'ready', part: 'evm', address: { rpcUrl: node.rpcUrl } };
    },
    async stop() {
      stopping = true;
      try {
        await (dead ? keeper?.abandon() : keeper?.finish());
      } catch (error) {
        context.log(`The local EVM chain stops without being saved: ${messageOf(error)}`);
      }
      node?.kill();
      await node?.ended;
    },
    kill() {
      stopping = true;
      node?.kill();
      void keeper?.abandon();
    },
  };
}

/** The pump and the saver of a running chain. */
interface ChainKeeper {
  /** Mines pending transactions, saves the chain if it is kept, and stops. */
  finish(): Promise<void>;
  /** Stops without saving. */
  abandon(): Promise<void>;
}

function keepChain(
  rpcUrl: string,
  { folder, savesEvm, isEvmLarge, log }: PartContext,
  source: ChainSource,
): ChainKeeper {
  const rpc = jsonRpc(rpcUrl, CALL_MS);
  const isNew = 'genesis' in source;
  const pump = startPump({ rpc, isNew, settings: isEvmLarge ? { pauseMs: LARGE_PAUSE_MS } : {} });
  const saver = savesEvm ? startSaver({ rpc, file: statePath(folder), isSaved: !isNew, log }) : null;
  return {
    async finish() {
      try {
        await pump.stop();
        if (!saver) return;
        await mineAllPending(rpc);
        await saver.finish();
      } finally {
        rpc.close();
      }
    },
    async abandon() {
      rpc.close();
      await Promise.all([pump.stop(), saver?.stop()]);
    },
  };
}

/** The saved chain, or a new one if none was saved. */
async function chainSource(folder: Folder): Promise<ChainSource> {
  const savedState = statePath(folder);
  if (existsSync(savedState)) return { savedState };
  const file = join(folder.path, folderFiles.evmGenesis);
  await writeWhole(file, genesis(EVM_MARKER_ADDRESS, evmMarkerCode(folder.id), Math.floor(Date.now() / 1000)));
  return { genesis: file };
}

/** Uses the requested port. With 0, it uses the last port if it is free, otherwise any free one. */
async function launchOnPort(context: PartContext, source: ChainSource): Promise<EvmNode> {
  const { folder, evmPort, log } = context;
  if (evmPort !== 0) return launchPatiently(context, evmPort, source);

  const file = join(folder.path, folderFiles.evmPort);
  const remembered = await rememberedPort(file);
  for (let attempt = 0; attempt < FREE_PORT_TRIES; attempt += 1) {
    const port = attempt === 0 && remembered !== undefined ? remembered : await freePort();
    try {
      const node = await launch(context, port, source);
      if (port !== remembered) await writeWhole(file, `${port}\n`);
      return node;
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error;
      log(`${error.message}; trying another one for the local EVM chain`);
    }
  }
  throw new DevnetError(`No free port for the local EVM chain after ${FREE_PORT_TRIES} tries`);
}

/** The node of a killed supervisor keeps its port for a moment, until the kernel has cleaned up. */
async function launchPatiently(context: PartContext, port: number, source: ChainSource): Promise<EvmNode> {
  const deadline = performance.now() + PORT_PATIENCE_MS;
  for (;;) {
    try {
      return await launch(context, port, source);
    } catch (error) {
      if (!(error instanceof PortTaken) || performance.now() > deadline) throw error;
      await delay(PORT_POLL_MS);
    }
  }
}

async function launch({ folder, isEvmLarge }: PartContext, port: number, source: ChainSource): Promise<EvmNode> {
  const cachePath = join(folder.path, folderFiles.evmCache);
  // Without history the node keeps nothing here, and each start deletes the remains of older nodes.
  await rm(cachePath, { recursive: true, force: true });
  await mkdir(cachePath, { recursive: true, mode: 0o700 });
  const states = isEvmLarge ? STATES.large : STATES.usual;
  return launchEvmNode({ port, source, cachePath, states, markerCode: evmMarkerCode(folder.id) });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function statePath(folder: Folder): string {
  return join(folder.path, folderFiles.evmState);
}
