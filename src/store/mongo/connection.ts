import { setTimeout as pause } from 'node:timers/promises';
import type { Db, Document, MongoClient, MongoClientOptions, WriteConcernSettings } from 'mongodb';
import { messageOf } from '../../errors/message-of.ts';
import { StoreUnavailable, UnknownOutcome } from '../errors.ts';
import { RoundTrips } from '../round-trips.ts';
import { SightedClient } from './client.ts';
import { isClosed, isUnanswered, wasNeverSent, wasTakenBack } from './failures.ts';
import { withOwnKeys } from './keys.ts';

/** What the store says while it runs; a pino logger is one. */
export interface StoreLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** A document as the driver sees it. */
export type Row = Document & { _id: string };

/** On a replica set: what is answered outlives the loss of the primary, and a crash of any member. */
const BY_MAJORITY: WriteConcernSettings = { w: 'majority', journal: true };
/**
 * On a server that stands alone: what is answered is in its journal. There is no other majority, and the embedded engine
 * must not be asked for one: with `majority` it answers without waiting for the journal, whatever `journal` says (killed in
 * the middle of 400 writes, it lost up to 80 answered ones in 5 of 10 trials; with `w: 1`, none in 60).
 */
const BY_JOURNAL: WriteConcernSettings = { w: 1, journal: true };

/** How long an operation waits for a server that is not there. */
const SELECTION_MS = 5_000;
/** How long a write whose answer was lost is tried again before its outcome is given up as unknown. */
const SETTLE_MS = 10_000;
/** A server that is there and says nothing for so long is treated as gone. */
const SILENCE_MS = 30_000;

const OPTIONS: MongoClientOptions = {
  appName: 'tideline',
  writeConcern: BY_MAJORITY,
  ignoreUndefined: false,
  // The embedded engine has no sessions, which the driver's own retries need. `untilAnswered` is what is used instead.
  retryWrites: false,
};

/** What the address itself may say otherwise. */
const PATIENCE: MongoClientOptions = {
  maxPoolSize: 32,
  serverSelectionTimeoutMS: SELECTION_MS,
  // A single broken line makes the driver check the server again; everybody waits for that check.
  minHeartbeatFrequencyMS: 100,
  connectTimeoutMS: SELECTION_MS,
  socketTimeoutMS: SILENCE_MS,
};

/** The one client of a store: counts what goes to the database, and says in the store's own errors what came of it. */
export class Connection {
  readonly client: MongoClient;
  /** Writes with `durable`, which is also what those calls must say that do not inherit it. */
  readonly db: Db;
  readonly durable: WriteConcernSettings;
  readonly calls: RoundTrips;
  readonly #sighted: SightedClient;
  readonly #log: StoreLog;

  private constructor(
    sighted: SightedClient,
    dbName: string,
    durable: WriteConcernSettings,
    calls: RoundTrips,
    log: StoreLog,
  ) {
    this.#sighted = sighted;
    this.client = sighted.client;
    this.durable = durable;
    this.db = this.client.db(dbName, { writeConcern: durable });
    this.calls = calls;
    this.#log = log;
  }

  /** Throws StoreUnavailable when no server answers within 5 s. */
  static async open(uri: string, dbName: string, log: StoreLog): Promise<Connection> {
    const sighted = new SightedClient(uri, OPTIONS, PATIENCE, log);
    watch(sighted.client, log);
    const calls = new RoundTrips();
    calls.add();
    try {
      const hello = await sighted.client.db(dbName).command({ hello: 1 });
      return new Connection(sighted, dbName, durabilityOf(hello), calls, log);
    } catch (error) {
      await sighted.close();
      throw isUnanswered(error) ? unavailable('open', error) : error;
    }
  }

  /** For what changes nothing. Throws StoreUnavailable when no answer comes. */
  async read<T>(what: string, ask: () => Promise<T>): Promise<T> {
    this.calls.add();
    try {
      return withOwnKeys(await ask());
    } catch (error) {
      throw isUnanswered(error) || isClosed(error) ? unavailable(what, error) : error;
    }
  }

  /** For a write that must not be sent twice. Throws UnknownOutcome when the answer is lost. */
  async write<T>(what: string, ask: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      this.calls.add();
      try {
        return withOwnKeys(await ask());
      } catch (error) {
        if (wasTakenBack(error) && tries < 5) continue;
        if (wasNeverSent(error)) throw unavailable(what, error);
        throw isUnanswered(error) ? unknown(what, error) : error;
      }
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
        return withOwnKeys(await ask(again));
      } catch (error) {
        const outOfTime = performance.now() - since > within;
        if (!again && wasNeverSent(error) && (outOfTime || !wasTakenBack(error))) throw unavailable(what, error);
        if (isClosed(error) || (isUnanswered(error) && outOfTime)) throw unknown(what, error);
        if (!isUnanswered(error)) throw error;
        this.#log.warn({ what, err: error }, 'no answer to a write that may be sent again; sending it again');
        again ||= !wasNeverSent(error);
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
    await this.#sighted.close();
  }
}

/** What to ask of a write so that it lasts, by what the server says of itself in `hello`: a replica set, a router, or alone. */
export function durabilityOf(hello: Document): WriteConcernSettings {
  return hello['setName'] !== undefined || hello['msg'] === 'isdbgrid' ? BY_MAJORITY : BY_JOURNAL;
}

/** Says once that a server does not answer, and once that it does again. */
function watch(client: MongoClient, log: StoreLog): void {
  const lost = new Set<string>();
  client.on('serverHeartbeatFailed', ({ connectionId, failure }) => {
    if (!lost.has(connectionId)) log.warn({ server: connectionId, err: failure }, 'MongoDB does not answer');
    lost.add(connectionId);
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => {
    if (lost.delete(connectionId)) log.info({ server: connectionId }, 'MongoDB answers again');
  });
}

function unavailable(what: string, cause: unknown): StoreUnavailable {
  return new StoreUnavailable(`${what}: MongoDB does not answer (${messageOf(cause)})`, { cause });
}

function unknown(what: string, cause: unknown): UnknownOutcome {
  return new UnknownOutcome(`${what}: the answer was lost, whether it was done is not known (${messageOf(cause)})`, {
    cause,
  });
}
