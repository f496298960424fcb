import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { keepDevnet } from './devnet.ts';

const WITHIN_MS = 120_000;

/** A data folder for the services of one test file. Its devnets keep running while services come and go. */
export class Ground {
  readonly #stops: (() => Promise<unknown>)[] = [];
  #dataDir = '';

  get dataDir(): string {
    return this.#dataDir;
  }

  /** Registers work for the end of the file; the last comes first. */
  onStop(stop: () => Promise<unknown>): void {
    this.#stops.push(stop);
  }

  async open(): Promise<void> {
    this.#dataDir = await mkdtemp(join(tmpdir(), 'tideline-ground-'));
    this.onStop(() => removeFolder(this.#dataDir));
    const keeper = await keepDevnet(this.#dataDir);
    this.onStop(() => keeper.leave({ graceful: true }));
  }

  async mongoUri(): Promise<string> {
    return (await readFile(join(this.#dataDir, 'mongodb.uri'), 'utf8')).trim();
  }

  /** The store of the services in this folder. */
  async openStore(): Promise<Store> {
    const store = await openMongoStore({ uri: await this.mongoUri(), dbName: 'tideline', log: silentLog });
    this.onStop(() => store.close());
    return store;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }
}

/** Opens a ground before the tests of this file, or of this `describe`, and prepares it. It ends after them. */
export function useGround(prepare: (ground: Ground) => Promise<void>): Ground {
  const ground = new Ground();
  beforeAll(async () => {
    await ground.open();
    await prepare(ground);
  }, WITHIN_MS);
  afterAll(() => ground.close(), WITHIN_MS);
  return ground;
}
