import { MongoClient, type MongoClientOptions } from 'mongodb';

/** The log of the store; a pino logger fits. */
export interface StoreLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/**
 * How often heartbeats under way are counted. A paused process counts no ticks, so a pause does not count as a lost
 * heartbeat.
 */
const TICK_MS = 1_000;
/** How long a second client tries to reach the server. If it cannot, this client waits for the next tick. */
const PROBE_MS = 5_000;

/**
 * A client of the driver that reconnects even when the driver has stopped checking its server.
 *
 * The driver checks a server again only after the last heartbeat has ended, and a heartbeat may never end. The monitor
 * asks over the connection that it keeps. If that connection's socket is destroyed before its 'close' event (many
 * connections that break in one turn of the event loop), the driver waits for a 'drain' that cannot come, with a time
 * limit that a destroyed socket ignores. A server that reports a topology version does not have this problem; the
 * embedded engine reports none.
 *
 * So a heartbeat that has outlived every time limit of the driver counts as lost. Once a second client reaches the
 * server, this one is closed and connected again. Code that holds it, or a collection of it, continues to work;
 * operations in between fail as with a closed client.
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

  /** Does not connect yet. The address may override `preferred`. */
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
    // A reconnection may have been under way.
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
    this.#log.warn(
      {},
      'the driver no longer checks MongoDB, although a second client reaches it; closing the first client and connecting it again',
    );
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
      if (!this.#closed)
        this.#log.warn({ err: error }, 'MongoDB did not answer when the client connected again; trying once more');
      return false;
    }
  }
}

/** The heartbeats that a client's monitors have begun and not ended, and how many ticks each has taken. */
class Heartbeats {
  readonly #under = new Map<string, { ticks: number; readonly limit: number }>();

  constructor(client: MongoClient) {
    const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
    // `asked`: connection and handshake. `awaited`: a question that the server may hold for the length of a heartbeat.
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
