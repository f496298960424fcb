import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DevnetFacts } from '../../scripts/lib/devnet-facts.ts';

/** The process id of the local chain's node at this URL; only this run uses it. Throws if there is none. */
export async function chainPid({ rpcUrl }: Pick<DevnetFacts, 'rpcUrl'>): Promise<number> {
  const { port } = new URL(rpcUrl);
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,comm=,args=']);
  const rows = stdout.split('\n').map((line) => /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line));
  const found = rows.find((row) => row?.[2]?.includes('anvil') && row[3]?.includes(`--port ${port} `));
  if (!found) throw new Error(`found no process of the node at ${rpcUrl}`);
  return Number(found[1]);
}
