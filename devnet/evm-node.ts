import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../src/errors/message-of.ts';
import { DevnetError } from '../src/service/devnet-error.ts';
import { EVM_MARKER_ADDRESS } from './evm-marker.ts';
import { jsonRpc } from './json-rpc.ts';
import { portTaken } from './part.ts';
import { describeExit, Tail } from './tail.ts';

/** The origin of the chain: a first block or a saved state. */
export type ChainSource = { genesis: string } | { savedState: string };

/**
 * Runs a command that dies with this process, whatever kills this process, even a signal that nobody can catch. The
 * shell's child reads from a pipe of ours, and kills the command when the pipe closes. The shell exits with the
 * command's status, or 128 + n for signal n.
 */
const DIES_WITH_US = `
exec 3<&0
"$@" </dev/null 3<&- &
node=$!
{ read -r _ <&3; kill -9 "$node"; } >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$node"
status=$?
kill -9 "$watcher" 2>/dev/null
exit "$status"
`;

/** A running local EVM node with the expected chain. */
export interface EvmNode {
  rpcUrl: string;
  /** Resolves when the process has ended, with its exit and its last output. */
  ended: Promise<string>;
  /** Kills the process at once, without saving. */
  kill(): void;
}

export class PortTaken extends DevnetError {
  constructor(port: number) {
    super(portTaken('EVM', port));
  }
}

interface LaunchOptions {
  port: number;
  source: ChainSource;
  cachePath: string;
  /** How many of the newest blocks keep their state. */
  states: number;
  /** The code that the chain must have at {@link EVM_MARKER_ADDRESS}. */
  markerCode: string;
}

const ANSWER_MS = 15_000;
const ANSWER_POLL_MS = 10;
/**
 * Starts anvil, which makes blocks on demand only, and waits until it answers with the chain of this folder.
 *
 * @throws PortTaken; DevnetError if it does not answer for another reason. Then no process is left.
 */
export async function launchEvmNode(options: LaunchOptions): Promise<EvmNode> {
  const { port, source, markerCode } = options;
  // Checked first, so that a later answer comes from the node and not from another process on its port.
  if (await someoneListens(port)) throw new PortTaken(port);
  const child = spawnNode(options);
  const said = new Tail(child.stderr);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(messageOf(error)));
    child.once('close', (code, signal) => resolve(`${exitOf(code, signal)}: ${said.text() || 'without output'}`));
  }).then((exit) => `The local EVM node has ended (${exit})`);
  child.stdin.on('error', () => undefined);
  const kill = () => void child.stdin.end();

  const rpcUrl = `http://127.0.0.1:${port}`;
  try {
    await untilItAnswers(rpcUrl, markerCode, ended);
    return { rpcUrl, ended, kill };
  } catch (error) {
    kill();
    await ended;
    if (said.text().includes('Address already in use')) throw new PortTaken(port);
    if ('genesis' in source || !(error instanceof DevnetError)) throw error;
    throw new DevnetError(`${error.message}. It was to load ${source.savedState}; npm run reset starts a new chain.`);
  }
}

async function untilItAnswers(rpcUrl: string, markerCode: string, ended: Promise<string>): Promise<void> {
  const rpc = jsonRpc(rpcUrl, 2000);
  const began = performance.now();
  let why: string | undefined;
  void ended.then((exit) => {
    why = exit;
    // If another process has the port now and keeps silent, the open request must not wait for it.
    rpc.close();
  });
  try {
    for (;;) {
      const found = await rpc.call('eth_getCode', [EVM_MARKER_ADDRESS, 'latest']).catch(() => undefined);
      if (why !== undefined) throw new DevnetError(why);
      if (found === markerCode) return;
      if (found !== undefined) throw new DevnetError("The local EVM node has another data folder's chain");
      if (performance.now() - began > ANSWER_MS) {
        throw new DevnetError(`The local EVM node did not answer within ${ANSWER_MS} ms`);
      }
      await delay(ANSWER_POLL_MS);
    }
  } finally {
    rpc.close();
  }
}

async function someoneListens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const connected = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return connected.finally(() => socket.destroy());
}

function spawnNode({ port, source, cachePath, states }: LaunchOptions): ChildProcessWithoutNullStreams {
  const flags = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', '31337', '--accounts', '0', '--quiet'];
  flags.push('--no-mining', '--hardfork', 'cancun', '--prune-history', String(states), '--slots-in-an-epoch', '1');
  flags.push('--cache-path', cachePath);
  if ('genesis' in source) flags.push('--init', source.genesis);
  else flags.push('--load-state', source.savedState);
  return spawn('/bin/sh', ['-c', DIES_WITH_US, 'sh', evmNodeBinary(), ...flags]);
}

/** The shell reports a signal n as status 128 + n. */
function exitOf(code: number | null, signal: NodeJS.Signals | null): string {
  const name = Object.entries(constants.signals).find(([, number]) => number === (code ?? 0) - 128)?.[0];
  return name === undefined ? describeExit(code, signal) : `signal ${name}`;
}

/**
 * The genesis block of a new chain. One account has code that identifies the chain.
 *
 * @param nowSeconds Unix time; the node's clock starts from it, so it must be the present
 */
export function genesis(markerAddress: string, markerCode: string, nowSeconds: number): string {
  const zeroes = `0x${'0'.repeat(64)}`;
  return JSON.stringify({
    config: { chainId: 31337 },
    nonce: '0x0',
    timestamp: `0x${nowSeconds.toString(16)}`,
    extraData: '0x',
    gasLimit: `0x${(30_000_000).toString(16)}`,
    difficulty: '0x0',
    mixHash: zeroes,
    coinbase: zeroes.slice(0, 42),
    alloc: { [markerAddress]: { balance: '0x0', code: markerCode } },
  });
}

/** The file of anvil. @throws DevnetError if it is not installed */
export function evmNodeBinary(): string {
  const machine = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${machine}`;
  try {
    // The binary itself: the package's own starter is one more Node process, and does not forward every signal.
    const starter = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json');
    return createRequire(starter).resolve(`${name}/bin/anvil`);
  } catch (error) {
    throw new DevnetError(
      `The local EVM node is not available: ${messageOf(error).split('\n')[0]}. Install the optional dependency ` +
        '@foundry-rs/anvil (Linux or macOS, x64 or arm64), or set RPC_URL_<chainId> to use a real chain.',
    );
  }
}
