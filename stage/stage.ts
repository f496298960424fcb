import { randomUUID } from 'node:crypto';
import type { MongoClient } from 'mongodb';
import type { Command } from '../scripts/lib/build.ts';
import { devnetFacts } from '../scripts/lib/devnet-facts.ts';
import { staffToken } from '../scripts/lib/running-service.ts';
import type { StaffApi } from '../scripts/lib/staff.ts';
import type { LedgerStore } from '../src/store/port.ts';
import { morningOf } from './calendar.ts';
import { Expectations } from './expectations.ts';
import { LocalChain } from './local-chain.ts';
import { Merchant } from './merchant.ts';
import { type Narrator, SILENT } from './narrator.ts';
import type { PostOffice } from './post-office.ts';
import { type Environment, type ServiceProcess, startService } from './processes.ts';
import type { Fetch, Setting } from './setting.ts';
import { openOnDevnet, type TemporaryDevnet } from './temporary-devnet.ts';

export interface StageOptions {
  /** The date at the service's start, at nine in the morning UTC, such as `2028-01-01`; absent: now. */
  readonly on?: string;
  /** Variables of the service, beside those of every test. */
  readonly env?: Environment;
  /** Whether the service sends letters: `office` of the stage takes them. */
  readonly hasLetters?: boolean;
  /** A real chain, as far as the service can tell: no chain of this machine runs, and no webhook comes to it. */
  readonly publicChain?: PublicChain;
  readonly narrator?: Narrator;
  /** Sends the requests of the merchants' clients; by default the global `fetch`. */
  readonly fetch?: Fetch;
  /** The file of the service's log; without it the log stays in memory. */
  readonly logFile?: (folder: string) => string;
  /** When it aborts, a start in progress is undone. */
  readonly signal?: AbortSignal;
  /** Node's arguments for the first process of the service; by default those of `npm start`. */
  readonly command?: Command;
}

/** A chain that is not of this machine, and the variables of a service that charges on it. */
export interface PublicChain {
  readonly chain: LocalChain;
  readonly env: Environment;
}

/** The service as a process on the local chains, with its own database in a temporary folder, and its merchants. */
export class Stage implements Setting {
  readonly dataDir: string;
  readonly chain: LocalChain;
  readonly expect = new Expectations();
  readonly narrator: Narrator;
  readonly fetch: Fetch;
  readonly merchants: Merchant[] = [];
  readonly hasWebhooks: boolean;
  /** null: the service sends no letters. */
  readonly office: PostOffice | null;
  /** The variables of its service, but for those that every service of a stage has. */
  readonly env: Environment;
  readonly #devnet: TemporaryDevnet;
  #store: Promise<LedgerStore> | null = null;
  readonly #aheadMs: number;
  #service: ServiceProcess;

  private constructor({ devnet, chain, service, office, env, aheadMs, options }: Parts) {
    this.#devnet = devnet;
    this.dataDir = devnet.dataDir;
    this.chain = chain;
    this.narrator = options.narrator ?? SILENT;
    this.fetch = options.fetch ?? globalThis.fetch;
    this.hasWebhooks = options.publicChain === undefined;
    this.#service = service;
    this.office = office;
    this.env = env;
    this.#aheadMs = aheadMs;
  }

  /** Starts everything. If that fails, nothing is left behind. */
  static open(options: StageOptions = {}): Promise<Stage> {
    return openOnDevnet({ evm: options.publicChain === undefined }, async (devnet) => {
      options.signal?.throwIfAborted();
      const stage = new Stage(await startedOn(devnet, options));
      devnet.onStop(async () => stage.chain.close());
      devnet.onStop(() => stage.stopService());
      return stage;
    });
  }

  get service(): ServiceProcess {
    return this.#service;
  }

  get url(): string {
    return this.#service.url;
  }

  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  /** The staff API with the token that the service made for its operators. */
  staff(): StaffApi {
    return { url: this.url, token: staffToken({ DATA_DIR: this.dataDir, ...this.env }).token };
  }

  /** The raw driver on the service's database, until the end. */
  openClient(): Promise<MongoClient> {
    return this.#devnet.openClient();
  }

  store(): Promise<LedgerStore> {
    this.#store ??= this.#devnet.openStore('tideline');
    return this.#store;
  }

  /** The same for merchants and payers on another chain of the service. */
  on(chain: LocalChain): Setting {
    const { url, dataDir, expect, narrator, fetch, hasWebhooks } = this;
    return {
      ...{ url, dataDir, chain, expect, narrator, fetch, hasWebhooks },
      now: () => this.now(),
      staff: () => this.staff(),
      store: () => this.store(),
      onStop: (stop) => this.onStop(stop),
    };
  }

  /** A merchant with a payout wallet, and a webhook endpoint where webhooks come to this machine. */
  async createMerchant(name = 'Coffee Club'): Promise<Merchant> {
    const merchant = await Merchant.signUp(this, name);
    this.merchants.push(merchant);
    return merchant;
  }

  /** Restarts the service at the same address and on the same data. `env`: for this process alone. */
  async restart(env: Environment = {}): Promise<void> {
    const { port } = new URL(this.url);
    await this.#service.stop();
    const variables = { ...environmentOf(this.env, this.#aheadMs), ...env, PORT: port };
    this.#service = await startService({ dataDir: this.dataDir, env: variables });
  }

  /** Stops the service alone: it finishes its current work, and delivers nothing more. */
  async stopService(): Promise<void> {
    await this.#service.stop(STOP_MS);
  }

  onStop(stop: () => Promise<unknown>): void {
    this.#devnet.onStop(stop);
  }

  /** Stops everything and deletes the folder. */
  stop(): Promise<void> {
    return this.#devnet.stop();
  }
}

interface Parts {
  readonly devnet: TemporaryDevnet;
  readonly chain: LocalChain;
  readonly service: ServiceProcess;
  readonly office: PostOffice | null;
  readonly env: Environment;
  /** How far its clock is ahead of the real one. */
  readonly aheadMs: number;
  readonly options: StageOptions;
}

/** The service promises to stop within 10 s. */
const STOP_MS = 12_000;

async function startedOn(devnet: TemporaryDevnet, options: StageOptions): Promise<Parts> {
  const { on, publicChain, logFile, signal, command } = options;
  const { dataDir, folder, mongoUri } = devnet;
  const aheadMs = on === undefined ? 0 : Date.parse(morningOf(on)) - Date.now();
  const log = logFile === undefined ? {} : { logFile: logFile(folder) };
  const elsewhere = publicChain && { ...ELSEWHERE, ...publicChain.env, MONGODB_URI: mongoUri };
  const office = options.hasLetters === true ? await openOffice(devnet) : null;
  const env = { ...elsewhere, ...office?.env, ...options.env };
  const service = await startService({ dataDir, env: environmentOf(env, aheadMs), signal, command, ...log });
  // A start that fails after this leaves no process behind either.
  devnet.onStop(() => service.stop(STOP_MS));
  const chain = publicChain?.chain ?? new LocalChain(await devnetFacts(service));
  return { devnet, chain, service, office, env, aheadMs, options };
}

/** Few stages have letters, so the others load no mail server. */
async function openOffice(devnet: TemporaryDevnet): Promise<PostOffice> {
  const { PostOffice } = await import('./post-office.ts');
  const office = await PostOffice.open();
  devnet.onStop(() => office.close());
  return office;
}

/** A service that leaves nothing to this machine. */
const ELSEWHERE = {
  LOCAL_DEVNETS: 'off',
  WEBHOOK_ALLOW_LOOPBACK: '0',
  HOST: '127.0.0.1',
  STAFF_TOKEN: randomUUID(),
};

function environmentOf(env: Environment, aheadMs: number): Environment {
  const clock = aheadMs === 0 ? {} : { FAULTS_CLOCK_MS: String(aheadMs), TICK_MS: '1000' };
  return { LOG_LEVEL: 'warn', ...clock, ...env };
}
