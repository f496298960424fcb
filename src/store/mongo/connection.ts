import { setTimeout as pause } from 'node:timers/promises';
import { type Db, type Document, MongoClient, type MongoClientOptions, type WriteConcernSettings } from 'mongodb';
import { StoreUnavailable, UnknownOutcome } from '../errors.ts';
import { RoundTrips } from '../roundTrips.ts';
import { isClosed, isUnanswered, wasNeverSent } from './failures.ts';

/** What the store says while it runs; a pino logger is one. */
export interface StoreLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** A document as the driver sees it. */
export type Row = Document & { _id: string };

/** Every write that is answered outlives a crash of the server and of its replica set's primary. */
export const DURABLE: WriteConcernSettings = { w: 'majority', journal: true };

/** How long an operation waits for a server that is not there. */
const SELECTION_MS = 5_000;
/** How long a write whose answer was lost is tried again before its outcome is given up as unknown. */
const SETTLE_MS = 10_000;
/** A server that is there and says nothing for so long is treated as gone. */
const SILENCE_MS = 30_000;

const OPTIONS: MongoClientOptions = {
  appName: 'tideline',
  writeConcern: DURABLE,
  ignoreUndefined: false,
  // The embedded engine has no sessions, which the driver's own retries need. `untilAnswered` is what is used instead.
  retryWrites: false,
};

/** What the address itself may say otherwise. */
const PATIENCE: MongoClientOptions = {
  maxPoolSize: 32,
  serverSelectionTimeoutMS: SELECTION_MS,
  connectTimeoutMS: SELECTION_MS,
  socketTimeoutMS: SILENCE_MS,
};

function optionsFor(uri: string): MongoClientOptions {
  const unsaid = Object.entries(PATIENCE).filter(([name]) => !new RegExp(`[?&]${name}=`, 'i').test(uri));
  return { ...Object.fromEntries(unsaid), ...OPTIONS };
}

/** The one client of a store: counts what goes to the database, and says in the store's own errors what came of it. */
export class Connection {
  readonly client: MongoClient;
  readonly db: Db;
  readonly calls = new RoundTrips();
  readonly #log: StoreLog;

  constructor(uri: string, dbName: string, log: StoreLog) {
    this.client = new MongoClient(uri, optionsFor(uri));
    this.db = this.client.db(dbName, { writeConcern: DURABLE });
    this.#log = log;
    this.#watch();
  }

  /** For what changes nothing. Throws StoreUnavailable when no answer comes. */
  async read<T>(what: string, ask: () => Promise<T>): Promise<T> {
    this.calls.add();
    try {
      return await ask();
    } catch (error) {
      throw isUnanswered(error) || isClosed(error) ? unavailable(what, error) : error;
    }
  }

  /** For a write that must not be sent twice. Throws UnknownOutcome when the answer is lost. */
  async write<T>(what: string, ask: () => Promise<T>): Promise<T> {
    this.calls.add();
    try {
      return await ask();
    } catch (error) {
      if (wasNeverSent(error)) throw unavailable(what, error);
      throw isUnanswered(error) ? unknown(what, error) : error;
    }
  }

  /**
   * For a write that does nothing the second time. While its answer is lost it is sent again, so that what comes back is
   * certain: once an answer is here, a copy that is still under way changes nothing any more. `again` tells `ask` that an
   * earlier one may have been carried out. Throws StoreUnavailable when it was never sent, UnknownOutcome after 10 s.
   */
  async untilAnswered<T>(what: string, ask: (again: boolean) => Promise<T>, within = SETTLE_MS): Promise<T> {
    const since = performance.now();
    let again = false;
    for (let wait = 20; ; wait = Math.min(wait * 2, 500)) {
      this.calls.add();
      try {
        return await ask(again);
      } catch (error) {
        if (!again && wasNeverSent(error)) throw unavailable(what, error);
        if (isClosed(error) || (isUnanswered(error) && performance.now() - since > within)) throw unknown(what, error);
        if (!isUnanswered(error)) throw error;
        this.#log.warn({ what, err: error }, 'the answer to a write was lost; sending it again');
        again = true;
      }
      await pause(wait);
    }
  }

  /** The server's major version. */
  async version(): Promise<number> {
    const { versionArray } = await this.read('buildInfo', () => this.db.command({ buildInfo: 1 }));
    return Array.isArray(versionArray) ? Number(versionArray[0]) : 0;
  }

  async ping(): Promise<boolean> {
    this.calls.add();
    try {
      await this.db.command({ ping: 1 });
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  #watch(): void {
    let lost = false;
    this.client.on('serverHeartbeatFailed', ({ connectionId, failure }) => {
      if (!lost) this.#log.warn({ server: connectionId, err: failure }, 'MongoDB does not answer');
      lost = true;
    });
    this.client.on('serverHeartbeatSucceeded', ({ connectionId }) => {
      if (lost) this.#log.info({ server: connectionId }, 'MongoDB answers again');
      lost = false;
    });
  }
}

function unavailable(what: string, cause: unknown): StoreUnavailable {
  return new StoreUnavailable(`${what}: MongoDB does not answer (${messageOf(cause)})`, { cause });
}

function unknown(what: string, cause: unknown): UnknownOutcome {
  return new UnknownOutcome(`${what}: the answer was lost, whether it was done is not known (${messageOf(cause)})`, {
    cause,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
