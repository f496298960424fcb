import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Config } from '../config/config.ts';
import type { FaultHook, FaultPlan } from '../engine/faults.ts';
import { type Log, timed } from '../observability/log.ts';
import { codeFile, packageVersion } from '../package/root.ts';
import { DevnetError } from './devnet-error.ts';
import type { LocalWorld } from './local-world.ts';

/**
 * The part of `devnet/` that the service uses (`devnet/service.ts`). Only developers have that folder; `dist/` lacks
 * it.
 */
export interface DevnetModule {
  /**
   * Starts or joins the wanted parts; resolves when each one answers.
   *
   * @throws DevnetError if a part is unavailable; its message says what to do
   */
  join(options: LocalPartsOptions): Promise<LocalParts>;
  /**
   * A hook that executes `plans`. It appends the points that it reaches, and its acts, to the file `report`, if given.
   * Throws when the file cannot be written.
   */
  injectFaults(plans: readonly FaultPlan[], report: string | null): FaultHook;
}

export interface LocalPartsOptions {
  /** The data folder; created if missing. */
  readonly dataDir: string;
  /** The version of this service. A supervisor of another version is replaced. */
  readonly version: string;
  /** The parts that this service needs. `mongo` is false if MONGODB_URI is set. */
  readonly want: { readonly mongo?: boolean; readonly evm?: boolean; readonly solana?: boolean };
  /** Port of the local EVM chain; 0 takes a free one, and the same one at the next start if it is still free. */
  readonly evmPort: number;
  /** Seconds for which an announced payee waits, if this call deploys the router of the local EVM chain; default: 0. */
  readonly payeeDelay?: number;
  /** Port of the local Solana chain, in the same way; default: 0. */
  readonly solanaPort?: number;
  readonly log: (message: string) => void;
}

/** The embedded database and the local chains that this process has joined. */
export interface LocalParts {
  /** null: the embedded database was not wanted. */
  readonly mongodbUri: string | null;
  /** Deploys the contracts and test tokens that are missing. */
  openWorld(): Promise<LocalWorld>;
  /** If this was the last service that uses the parts, resolves after everything is saved and has ended. */
  leave(): Promise<void>;
}

/**
 * Starts or joins the parts that the configuration leaves to this machine: the embedded database, the local chains.
 * null: none. This file imports little, so that those processes start while the rest of the service still loads.
 *
 * @throws DevnetError for people
 */
export async function joinLocalParts(config: Config, log: Log): Promise<LocalParts | null> {
  const want = { mongo: config.mongodbUri === null, evm: config.localDevnets, solana: config.localSolana };
  if (!want.mongo && !want.evm && !want.solana) return null;
  log.info({ folder: config.dataDir, ...want }, 'starting the database and chains of this machine');
  const devnet = await loadDevnet();
  const joining = devnet.join({
    dataDir: config.dataDir,
    version: packageVersion(),
    want,
    evmPort: config.localEvmPort,
    payeeDelay: config.localPayeeDelay,
    solanaPort: config.localSolanaPort,
    log: (message) => log.info({ part: 'devnet' }, message),
  });
  return timed(log, 'the database and chains of this machine run', joining);
}

/**
 * Loads `devnet/`. The bundler must not see this import, because it would put `devnet/` into `dist/`.
 *
 * @throws DevnetError if this installation has no `devnet/`
 */
export async function loadDevnet(): Promise<DevnetModule> {
  const file = codeFile('devnet/service');
  if (!existsSync(file)) {
    throw new DevnetError(
      'This build has no embedded database, no local chains and no fault injection: set MONGODB_URI and LOCAL_DEVNETS=off, ' +
        'and leave FAULTS and FAULTS_REPORT unset, or run `npm start` in the repository',
    );
  }
  const { devnet }: { readonly devnet: DevnetModule } = await import(pathToFileURL(file).href);
  return devnet;
}
