import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DevnetFacts } from '../../scripts/lib/devnet-facts.ts';

/**
 * The process of the local chain's node that listens at the URL; the chain was started for this run alone. Throws when none
 * is found.
 */
export async function chainPid({ rpcUrl }: Pick<DevnetFacts, 'rpcUrl'>): Promise<number> {
  const { port } = new URL(rpcUrl);
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,comm=,args=']);
  const rows = stdout.split('\n').map((line) => /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line));
  const found = rows.find((row) => row?.[2]?.includes('anvil') && row[3]?.includes(`--port ${port} `));
  if (!found) throw new Error(`no process of the node at ${rpcUrl} is to be seen`);
  return Number(found[1]);
}
