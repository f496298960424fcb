import type { Config } from '../config.ts';
import { type Devnet, joinDevnet } from '../devnet/join.ts';
import type { Log } from '../log.ts';
import { packageVersion } from '../version.ts';

/**
 * Starts or joins what the configuration leaves to this machine: the embedded database, the local chains. Null: nothing.
 * This file loads little, so that those processes start while the rest of the service is still being loaded.
 *
 * @throws DevnetError for people
 */
export async function joinLocalParts(config: Config, log: Log): Promise<Devnet | null> {
  const want = { mongo: config.mongodbUri === null, evm: config.localDevnets, solana: config.localSolana };
  if (!want.mongo && !want.evm && !want.solana) return null;
  return joinDevnet({
    dataDir: config.dataDir,
    version: packageVersion(),
    want,
    evmPort: config.localEvmPort,
    solanaPort: config.localSolanaPort,
    log: (message) => log.info({ part: 'devnet' }, message),
  });
}
