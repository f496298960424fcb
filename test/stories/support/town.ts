import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MACHINES } from '../../../machines/versions.ts';
import { devnetFacts } from '../../../scripts/lib/devnet-facts.ts';
import { staffToken } from '../../../scripts/lib/running-service.ts';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import type { StaffApi } from '../../../scripts/lib/staff.ts';
import { journaledKinds, replayAll } from '../../../src/engine/replay-stored.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import type { Store } from '../../../src/store/port.ts';
import { morningOf } from '../../../stage/calendar.ts';
import type { ServiceProcess } from '../../../stage/processes.ts';
import { keepDevnet } from '../../support/devnet.ts';
import { startServiceProcess } from '../../support/service.ts';
import { Chain } from './chain.ts';
import { Shop } from './shop.ts';

export interface TownOptions {
  /** The date at the service's start, at nine in the morning UTC: `2028-01-01`. */
  readonly on: string;
  /** The time zone of the service's process; no date in any story depends on it. */
  readonly timezone: string;
}

const DAY_MS = 86_400_000;

/** One service process with its database and chain, and the merchants of its stories. */
export class Town {
  readonly chain: Chain;
  /** The store, read beside the service. */
  readonly store: Store;
  readonly #dataDir: string;
  readonly #timezone: string;
  readonly #shops: Shop[] = [];
  #aheadMs: number;
  #service: ServiceProcess;

  private constructor(parts: {
    readonly dataDir: string;
    readonly timezone: string;
    readonly aheadMs: number;
    readonly service: ServiceProcess;
    readonly chain: Chain;
    readonly store: Store;
  }) {
    this.#dataDir = parts.dataDir;
    this.#timezone = parts.timezone;
    this.#aheadMs = parts.aheadMs;
    this.#service = parts.service;
    this.chain = parts.chain;
    this.store = parts.store;
  }

  /** `stops` gets the functions that end the parts, in order. */
  static async build({ on, timezone }: TownOptions, stops: (() => Promise<unknown>)[]): Promise<Town> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tideline-story-'));
    stops.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
    const keeper = await keepDevnet(dataDir);
    stops.push(() => keeper.leave({ graceful: true }));
    const aheadMs = Date.parse(morningOf(on)) - Date.now();
    const service = await startServiceProcess({ dataDir, env: environment(aheadMs, timezone) });
    const chain = new Chain(await devnetFacts(service));
    stops.push(async () => chain.close());
    const uri = (await readFile(join(dataDir, 'mongodb.uri'), 'utf8')).trim();
    const store = await openMongoStore({ uri, dbName: 'tideline', log: silentLog });
    stops.push(() => store.close());
    const town = new Town({ dataDir, timezone, aheadMs, service, chain, store });
    stops.push(() => town.#close());
    return town;
  }

  get dataDir(): string {
    return this.#dataDir;
  }

  get url(): string {
    return this.#service.url;
  }

  /** The service's clock. */
  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  /** The staff API with the token that the service made for its operators. */
  staff(): StaffApi {
    return { url: this.url, token: staffToken({ DATA_DIR: this.#dataDir }).token };
  }

  /** A merchant that is ready for subscriptions. */
  async openShop(): Promise<Shop> {
    const shop = await Shop.open(this);
    this.#shops.push(shop);
    return shop;
  }

  /** Shuts the service down and starts it again so many days later, at the same address and on the same data. */
  async isDownFor(days: number, meanwhile: () => Promise<void>): Promise<void> {
    await this.#service.stop();
    await meanwhile();
    this.#aheadMs += days * DAY_MS;
    const env = { ...environment(this.#aheadMs, this.#timezone), PORT: new URL(this.url).port };
    this.#service = await startServiceProcess({ dataDir: this.#dataDir, env });
  }

  /** Throws if a journal does not lead to the stored state, or if an event came that no story expects. */
  async checkBooks(): Promise<void> {
    for (const shop of this.#shops) await shop.checkBooks();
    for (const kind of journaledKinds(MACHINES)) {
      for await (const { id, problem } of replayAll(this.store, MACHINES, kind)) {
        expect({ id, problem }).toEqual({ id, problem: null });
      }
    }
  }

  async #close(): Promise<void> {
    for (const shop of this.#shops) await shop.close();
    await this.#service.stop();
  }
}

function environment(aheadMs: number, timezone: string): { readonly [name: string]: string } {
  return { FAULTS_CLOCK_MS: String(aheadMs), TZ: timezone, TICK_MS: '1000', LOG_LEVEL: 'warn' };
}

/** The stage of a file of stories: it exists before the first one, and ends after the last. */
export function storyTown(options: TownOptions): () => Town {
  const stops: (() => Promise<unknown>)[] = [];
  const built: { town?: Town } = {};
  beforeAll(async () => {
    built.town = await Town.build(options, stops);
  }, 120_000);
  afterAll(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  }, 120_000);
  return () => {
    if (!built.town) throw new Error('the town has not been built');
    return built.town;
  };
}

/** The last test of a file: after all stories, the journals and the webhooks are sound. */
export function endsWithSoundBooks(town: () => Town): void {
  it('ends with journals that lead to the stored state, and without repeated or unexpected events', () =>
    town().checkBooks());
}
