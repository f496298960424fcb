import { MongoClient, type MongoClientOptions } from 'mongodb';
import type { StoreLog } from './connection.ts';

/** How often the checks under way are counted: a process that was paused counts none for the time it stood still. */
const TICK_MS = 1_000;
/** How long another client tries to reach the server before this one is left as it is until the next tick. */
const PROBE_MS = 5_000;

/**
 * A client of the driver that finds its server again even when the driver has stopped searching for it.
 *
 * The driver checks a server again only when its last heartbeat has ended, and a heartbeat may never end: the monitor asks over the
 * line that it keeps, and when that line's socket has been destroyed while its 'close' is still to come (many lines that
 * break in one turn of the event loop), the driver waits for a 'drain' that cannot come, under a time limit that a destroyed
 * socket does not keep. A server that tells its topology version is spared that; the embedded engine tells none.
 *
 * So a heartbeat that has outlived every time limit of the driver is taken for lost: once another client reaches the server,
 * this one is closed and connected anew. Who holds it, or a collection of it, goes on; what is asked in between fails as
 * with a client that was closed.
 */
export class SightedClient {
  readonly client: MongoClient;
  readonly #make: (more?: MongoClientOptions) => MongoClient;
  readonly #log: StoreLog;
  readonly #checks: Heartbeats;
  readonly #timer: NodeJS.Timeout;
  #probe: MongoClient | undefined;
  #reopening: Promise<void> | undefined;
  #closed = false;

  /** Not connected yet. `preferred` is what the address itself may say otherwise. */
  constructor(uri: string, options: MongoClientOptions, preferred: MongoClientOptions, log: StoreLog) {
    const unsaid = Object.entries(preferred).filter(([name]) => !new RegExp(`[?&]${name}=`, 'i').test(uri));
    this.#make = (more) => new MongoClient(uri, { ...Object.fromEntries(unsaid), ...options, ...more });
    this.#log = log;
    this.client = this.#make();
    this.#checks = new Heartbeats(this.client);
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.all([this.client.close(), this.#probe?.close()]);
    // It may have been about to connect the client once more.
    await this.#reopening;
    await this.client.close();
  }

  #tick(): void {
    this.#checks.grow();
    if (this.#reopening !== undefined || !this.#checks.someLost()) return;
    this.#reopening = this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
  }

  async #reopen(): Promise<void> {
    if (!(await this.#canBeReached()) || this.#closed || !this.#checks.someLost()) return;
    this.#log.warn({}, 'the driver has stopped checking MongoDB, which answers others; its client is connected anew');
    this.#checks.forget();
    await this.client.close();
    while (!this.#closed && !(await this.#isConnected()));
  }

  async #canBeReached(): Promise<boolean> {
    this.#probe = this.#make({ serverSelectionTimeoutMS: PROBE_MS });
    try {
      await this.#probe.connect();
      return true;
    } catch {
      return false;
    } finally {
      await this.#probe.close();
      this.#probe = undefined;
    }
  }

  async #isConnected(): Promise<boolean> {
    try {
      await this.client.connect();
      return true;
    } catch (error) {
      if (!this.#closed) this.#log.warn({ err: error }, 'MongoDB does not answer a client that is connected anew');
      return false;
    }
  }
}

/** The checks servers that a client's monitors have begun and not ended, and how many ticks each has taken. */
class Heartbeats {
  readonly #under = new Map<string, { ticks: number; readonly limit: number }>();

  constructor(client: MongoClient) {
    const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
    // Connecting and shaking hands, or a question that the server may keep for the length of a heartbeat.
    const limits = { asked: 2 * connectTimeoutMS, awaited: connectTimeoutMS + heartbeatFrequencyMS };
    client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
      const ms = awaited ? Math.max(limits.awaited, limits.asked) : limits.asked;
      this.#under.set(connectionId, { ticks: 0, limit: Math.ceil(ms / TICK_MS) + 1 });
    });
    client.on('serverHeartbeatSucceeded', ({ connectionId }) => this.#under.delete(connectionId));
    client.on('serverHeartbeatFailed', ({ connectionId }) => this.#under.delete(connectionId));
    client.on('serverClosed', ({ address }) => this.#under.delete(address));
  }

  grow(): void {
    for (const heartbeat of this.#under.values()) heartbeat.ticks++;
  }

  someLost(): boolean {
    return [...this.#under.values()].some(({ ticks, limit }) => ticks > limit);
  }

  forget(): void {
    this.#under.clear();
  }
}
