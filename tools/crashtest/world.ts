import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinDevnet } from '../../devnet/join.ts';
import { resetFolder } from '../../devnet/reset.ts';
import { builtCommand, type Command, SUPERVISOR } from '../../scripts/lib/build.ts';
import { type DevnetFacts, devnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { type Receiver, startReceiver } from '../../scripts/lib/receiver.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { packageVersion } from '../../src/package/version.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { endAll } from '../lib/end-all.ts';
import { type MerchantClient, signUp } from '../lib/merchant.ts';
import { type Environment, type ServiceProcess, ServiceProcesses, untilReady } from '../lib/service-process.ts';
import { openShop, type Shop, type ShopOptions } from '../lib/shop.ts';
import { type Database, startDatabase } from './database.ts';
import { Stories } from './stories.ts';

/** Everything that processes are killed on, started for it alone. */
export interface World {
  readonly dataDir: string;
  readonly facts: DevnetFacts;
  readonly merchant: MerchantClient;
  readonly shop: Shop;
  readonly receiver: Receiver;
  readonly stories: Stories;
  /** What is stored, read beside the service. */
  readonly store: Store;
  /** What is to be struck of the database; null: it is the embedded one, which ends with everything else. */
  readonly database: Pick<Database, 'killAndRestart'> | null;
  /** A file that every process with faults appends to. */
  readonly reportFile: string;
  /** Starts a process, which the merchant calls from now on together with the others that run; it may not be up yet. */
  spawn(env?: Environment): Promise<ServiceProcess>;
  /** As `spawn`, and it is ready. */
  start(env?: Environment): Promise<ServiceProcess>;
  /** Ends everything that was started for it and deletes the folder. */
  stop(): Promise<void>;
}

export interface WorldOptions extends ShopOptions {
  /** Whether the database is a process beside local chain and services, which may be killed. */
  readonly ownDatabase?: boolean;
  /** What Node is started with for each process of the service. */
  readonly nodeFlags?: readonly string[];
}

type Stop = () => Promise<void>;

/** Limits of the default ones are not what is tried here. */
const LIMIT_FACTOR = 10_000;

/**
 * A data folder with its database and chain, a webhook endpoint, and a merchant who can be subscribed to: made by a process
 * without faults, which has stopped again. Nothing is left behind when it cannot be had.
 */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const stops: Stop[] = [];
  const stop = async (): Promise<void> => {
    const [failed] = await endAll(stops);
    if (failed) throw failed.reason;
  };
  try {
    return await worldWith(options, stops, stop);
  } catch (error) {
    await endAll(stops);
    throw error;
  }
}

async function worldWith(options: WorldOptions, stops: Stop[], stop: Stop): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-crash-'));
  stops.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const dataDir = join(folder, 'data');
  // Keeps database and chain up while processes come and go.
  const database = options.ownDatabase === true ? await startDatabase() : null;
  if (database !== null) stops.push(() => database.stop());
  const want = { mongo: database === null, evm: true };
  const devnet = await joinDevnet({
    dataDir,
    version: packageVersion(),
    want,
    evmPort: 0,
    supervisor: await builtCommand(SUPERVISOR),
    log: () => undefined,
  });
  stops.push(async () => {
    await devnet.leave({ graceful: true });
    await resetFolder(dataDir);
  });
  const receiver = await startReceiver();
  stops.push(() => receiver.close());
  const uri = database?.uri ?? devnet.mongo?.uri ?? '';
  const store = await openMongoStore({ uri, dbName: 'tideline', log: silentLog });
  stops.push(() => store.close());
  const command = [...(options.nodeFlags ?? []), ...(await builtCommand('src/main'))];
  const called = new Called(command, dataDir, database === null ? {} : { MONGODB_URI: uri });
  stops.push(() => called.processes.killAll());

  const first = await called.spawn();
  await untilReady(first);
  const facts = await devnetFacts(first);
  const merchant = await signUp(() => called.url(), dataDir);
  await store.records.change('merchants', merchant.id, {}, { set: { limitFactor: LIMIT_FACTOR } });
  await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url });
  receiver.setSecret(String((await merchant.call('POST', '/webhooks/secret/rotate'))['secret']));
  const shop = await openShop(merchant, facts, options);
  await first.stop();
  return {
    dataDir,
    facts,
    merchant,
    shop,
    receiver,
    stories: new Stories(shop),
    store,
    database,
    reportFile: join(folder, 'faults'),
    spawn: (env) => called.spawn(env),
    start: async (env) => {
      const service = await called.spawn(env);
      await untilReady(service);
      return service;
    },
    stop,
  };
}

/** The processes of a world, called in turn. */
class Called {
  readonly processes: ServiceProcesses;
  readonly #dataDir: string;
  readonly #environment: Environment;
  #running: ServiceProcess[] = [];
  #last: ServiceProcess | null = null;
  #turn = 0;

  constructor(command: Command, dataDir: string, environment: Environment) {
    this.processes = new ServiceProcesses(command);
    this.#dataDir = dataDir;
    this.#environment = environment;
  }

  async spawn(env: Environment = {}): Promise<ServiceProcess> {
    const service = await this.processes.spawn({ dataDir: this.#dataDir, env: { ...this.#environment, ...env } });
    this.#running.push(service);
    this.#last = service;
    void service.exited.then(() => {
      this.#running = this.#running.filter((each) => each !== service);
    });
    return service;
  }

  /** One that runs; where none does, one that has: nobody answers there. */
  url(): string {
    this.#turn += 1;
    const service = this.#running[this.#turn % Math.max(1, this.#running.length)] ?? this.#last;
    if (!service) throw new Error('no process has been started');
    return service.url;
  }
}
