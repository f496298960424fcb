import { join } from 'node:path';
import { devnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { staffToken } from '../../scripts/lib/running-service.ts';
import type { Store } from '../../src/store/port.ts';
import { Expectations } from '../../stage/expectations.ts';
import { LocalChain } from '../../stage/local-chain.ts';
import { Merchant } from '../../stage/merchant.ts';
import { SILENT } from '../../stage/narrator.ts';
import { type Environment, type ServiceProcess, ServiceProcesses, untilReady } from '../../stage/processes.ts';
import type { Fetch, Setting } from '../../stage/setting.ts';
import { openOnDevnet, type TemporaryDevnet } from '../../stage/temporary-devnet.ts';
import { ReplicaSet } from '../lib/replica-set.ts';
import { ShardedCluster } from '../lib/sharded-cluster.ts';
import { type Database, startDatabase } from './database.ts';
import { openSale, type Sale, type SaleOptions } from './sale.ts';
import { Stories } from './stories.ts';

/** The database, chain and folder under the killed processes, for one run only. */
export interface World extends Pick<TemporaryDevnet, 'dataDir' | 'stop'> {
  readonly chain: LocalChain;
  /** Its calls go to the running processes in turn. */
  readonly merchant: Merchant;
  readonly sale: Sale;
  readonly stories: Stories;
  /** The store, read beside the service. */
  readonly store: Store;
  /** The database, if it can be killed; null: it stops with the world. */
  readonly database: Pick<Database, 'killAndRestart'> | null;
  /** The replica set that the processes see; null: they see a standalone server. */
  readonly replicaSet: ReplicaSet | null;
  /** The model of a sharded cluster that the processes see; null: they see none. */
  readonly cluster: ShardedCluster | null;
  /** A file to which every process with faults appends. */
  readonly reportFile: string;
  /** Starts a process, which the merchant calls from then on. It may not be ready yet. */
  spawn(env?: Environment): Promise<ServiceProcess>;
  /** Like `spawn`, but waits until the process is ready. */
  start(env?: Environment): Promise<ServiceProcess>;
}

export interface WorldOptions extends SaleOptions {
  /** A server that lives as long as the world, one that can be killed, or a replica set or cluster before the first. */
  readonly database?: 'lasting' | 'killable' | 'replicaSet' | 'sharded';
  /** Sends the merchant's requests; by default the global `fetch`. */
  readonly fetch?: Fetch;
}

/** Folder, database, chain, endpoint, and a merchant with an offer. On failure, it leaves nothing behind. */
export function openWorld(options: WorldOptions = {}): Promise<World> {
  const parts = { mongo: options.database !== 'killable', evm: true };
  return openOnDevnet(parts, (devnet) => worldOn(devnet, options));
}

/** Database and chain keep running while service processes come and go. */
async function worldOn(devnet: TemporaryDevnet, options: WorldOptions): Promise<World> {
  const { folder, dataDir, onStop, stop } = devnet;
  const database = options.database === 'killable' ? await startDatabase() : null;
  if (database !== null) onStop(() => database.stop());
  const uri = database?.uri ?? devnet.mongoUri;
  const replicaSet = options.database === 'replicaSet' ? await ReplicaSet.before(uri) : null;
  if (replicaSet !== null) onStop(() => replicaSet.close());
  const cluster = options.database === 'sharded' ? await ShardedCluster.before(uri) : null;
  if (cluster !== null) onStop(() => cluster.close());
  const store = await devnet.openStore('tideline', uri);
  const processes = new ServiceProcesses();
  onStop(() => processes.killAll());
  const environment = { MONGODB_URI: (replicaSet ?? cluster)?.uri ?? uri };
  const first = await processes.spawn({ dataDir, env: environment });
  let last = first;
  const spawn = async (env: Environment = {}) => {
    last = await processes.spawn({ dataDir, env: { ...environment, ...env } });
    return last;
  };
  let turn = 0;
  /** Of a running process, or else of the last one, which does not answer. */
  const url = () => {
    turn += 1;
    const { running } = processes;
    return (running[turn % Math.max(1, running.length)] ?? last).url;
  };
  await untilReady(first);
  const chain = new LocalChain(await devnetFacts(first));
  onStop(async () => chain.close());
  const setting: Setting = {
    get url() {
      return url();
    },
    ...{ dataDir, chain, onStop, hasWebhooks: true, expect: new Expectations(), narrator: SILENT },
    fetch: options.fetch ?? globalThis.fetch,
    now: () => new Date(),
    staff: () => ({ url: url(), token: staffToken({ DATA_DIR: dataDir }).token }),
    store: async () => store,
  };
  const merchant = await Merchant.signUp(setting, 'Test');
  const sale = await openSale(merchant, options);
  await first.stop();
  return {
    dataDir,
    chain,
    merchant,
    sale,
    stories: new Stories(sale),
    store,
    database,
    replicaSet,
    cluster,
    reportFile: join(folder, 'faults'),
    spawn,
    start: async (env) => {
      const service = await spawn(env);
      await untilReady(service);
      return service;
    },
    stop,
  };
}
