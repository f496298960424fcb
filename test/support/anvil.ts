import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { JsonRpcProvider } from 'ethers';
import { evmNodeBinary } from '../../devnet/evm-node.ts';
import { connectTo } from '../../stage/local-chain.ts';

/** A running anvil: a real EVM node, with ten funded accounts that it signs for (`provider.getSigner(0..9)`). */
export type Anvil = {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly provider: JsonRpcProvider;
  /** Stops the node and its provider. Resolves when the process has ended. */
  readonly stop: () => Promise<void>;
};

export type AnvilOptions = {
  /** 31337 by default. */
  readonly chainId?: number;
  /** True by default: one block per transaction, at once. Not for bursts of thousands. */
  readonly automine?: boolean;
  /** How many blocks an epoch has; `finalized` is two epochs behind. 1 by default. */
  readonly epoch?: number;
};

/**
 * Starts an anvil on a free port and waits until it answers. It writes nothing to the disk, and ends with this process
 * at the latest.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const chainId = options.chainId ?? 31337;
  const flags = ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId), '--hardfork', 'cancun'];
  const history = ['--prune-history', '64', '--slots-in-an-epoch', String(options.epoch ?? 1)];
  const mining = options.automine === false ? ['--no-mining'] : [];
  const child = spawn(evmNodeBinary(), [...flags, ...history, ...mining], { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  const rpcUrl = await listeningAt(child);
  const provider = connectTo({ rpcUrl, chainId });
  const stop = async (): Promise<void> => {
    provider.destroy();
    process.off('exit', kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return { rpcUrl, chainId, provider, stop };
}

async function listeningAt(child: ChildProcess): Promise<string> {
  if (child.stdout === null || child.stderr === null) throw new Error('anvil was started without its output');
  const said: string[] = [];
  child.stderr.on('data', (chunk) => said.push(String(chunk)));
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const address = /^Listening on (\S+)/.exec(line)?.[1];
      if (address) resolve(`http://${address}`);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`anvil ended (${code ?? signal}): ${said.join('')}`)));
  });
}
