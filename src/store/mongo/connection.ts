import { setTimeout as pause } from 'node:timers/promises';
import {
  type Db,
  type Document,
  type MongoClient,
  type MongoClientOptions,
  MongoServerError,
  type WriteConcernSettings,
} from 'mongodb';
import { z } from 'zod';
import { messageOf } from '../../errors/message-of.ts';
import { StoreUnavailable, UnknownOutcome } from '../errors.ts';
import type { Privilege } from '../roles.ts';
import { RoundTrips } from '../round-trips.ts';
import { within } from '../within.ts';
import { SightedClient, type StoreLog } from './client.ts';
import { duplicateIndexOf, fateOf } from './failures.ts';
import { withOwnKeys } from './keys.ts';

/** A document in the driver's types. */
export type Row = Document & { _id: string };

/** On a replica set: an answered write survives the loss of the primary, and a crash of any member. */
const BY_MAJORITY: WriteConcernSettings = { w: 'majority', journal: true };
/**
 * On a standalone server: an answered write is in the journal. Do not use `majority` there: the embedded engine then
 * answers without waiting for the journal, whatever `journal` says (killed in the middle of 400 writes, it lost up to
 * 80 answered ones in 5 of 10 trials; with `w: 1`, none in 60).
 */
const BY_JOURNAL: WriteConcernSettings = { w: 1, journal: true };

/** How long an operation waits for a server that cannot be reached: for example, for the election of a primary. */
const SELECTION_MS = 2_000;
/** How long a start waits for its database: in a cluster both start at once, and a busy machine answers late. */
const OPENING_MS = 10_000;
const CONNECT_MS = 5_000;
/** How long a ping may take: whoever asks for the health of a process waits for a second at most. */
const PING_MS = 800;
/** How long a write with a lost answer is repeated before its outcome counts as unknown. */
const SETTLE_MS = 10_000;
/** A connected server that is silent for this long counts as gone. */
const SILENCE_MS = 30_000;

const OPTIONS: MongoClientOptions = {
  appName: 'tideline',
  writeConcern: BY_MAJORITY,
  ignoreUndefined: false,
  // The driver checks each character of what it reads, although it wrote only valid text; a signed batch has 80,000.
  enableUtf8Validation: false,
  // The driver repeats a write after a lost answer, and may then report only that no server could be selected. Nobody
  // could tell whether the first copy was executed. So `Connection` repeats, and knows.
  retryWrites: false,
};

/** Defaults that the address may override. */
const PATIENCE: MongoClientOptions = {
  maxPoolSize: 32,
  serverSelectionTimeoutMS: SELECTION_MS,
  // One broken connection makes the driver check the server again, and every operation waits for that check.
  minHeartbeatFrequencyMS: 100,
  connectTimeoutMS: CONNECT_MS,
  socketTimeoutMS: SILENCE_MS,
};

/** The one client of a store: counts the calls to the database, and throws the store's own errors. */
export class Connection {
  readonly client: MongoClient;
  /** Writes with `durable`. Calls that do not inherit it must name it. */
  readonly db: Db;
  readonly durable: WriteConcernSettings;
  readonly calls: RoundTrips;
  /**
   * The server is the router of a sharded cluster. There a statement about many documents may miss one that moves to
   * another shard at that moment, or count it twice (SERVER-20361); a statement about one document may not.
   */
  readonly isRouter: boolean;
  readonly #sighted: SightedClient;
  readonly #log: StoreLog;
  /** By collection and name in the database: the declared names of indexes that have another one there. */
  readonly #indexNames = new Map<string, string>();
  #pinging: Promise<boolean> | undefined;

  private constructor(sighted: SightedClient, dbName: string, hello: Document, calls: RoundTrips, log: StoreLog) {
    this.#sighted = sighted;
    this.client = sighted.client;
    this.durable = durabilityOf(hello);
    this.isRouter = isRouter(hello);
    this.db = this.client.db(dbName, { writeConcern: this.durable });
    this.calls = calls;
    this.#log = log;
  }

  /** Throws StoreUnavailable when no server answers within 10 s. */
  static async open(uri: string, dbName: string, log: StoreLog): Promise<Connection> {
    const sighted = new SightedClient(uri, OPTIONS, PATIENCE, log);
    watch(sighted.client, log);
    const calls = new RoundTrips();
    calls.add();
    try {
      const hello = await firstAnswer(sighted.client, dbName, log);
      return new Connection(sighted, dbName, hello, calls, log);
    } catch (error) {
      await sighted.close();
      throw fateOf(error) === 'answered' ? error : unavailable('open', error);
    }
  }

  /**
   * For a read, or a write that may be executed any number of times: asks again for up to 2 s. Throws StoreUnavailable
   * when no answer comes.
   */
  async repeatable<T>(what: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await this.#insist(what, ask, { repeats: true, within: SELECTION_MS });
    } catch (error) {
      throw error instanceof UnknownOutcome ? unavailable(what, error.cause) : error;
    }
  }

  /**
   * For a write that must be executed once at most. It is sent again for up to 2 s only while MongoDB has certainly not
   * executed it. Throws StoreUnavailable when it was not executed, UnknownOutcome when the answer is lost.
   */
  write<T>(what: string, ask: () => Promise<T>): Promise<T> {
    return this.#insist(what, ask, { repeats: false, within: SELECTION_MS });
  }

  /**
   * For a write that changes nothing when repeated. It is sent again while its answer is lost, so the returned answer
   * is certain: a copy that is still under way changes nothing any more. `again` says that an earlier copy may have
   * been executed. Throws StoreUnavailable when it was not executed, UnknownOutcome after 10 s.
   */
  untilAnswered<T>(what: string, ask: (again: boolean) => Promise<T>, within = SETTLE_MS): Promise<T> {
    return this.#insist(what, ask, { repeats: true, within });
  }

  /** With `repeats`, the operation is sent again after an answer was lost too. */
  async #insist<T>(
    what: string,
    ask: (again: boolean) => Promise<T>,
    { repeats, within }: { readonly repeats: boolean; readonly within: number },
  ): Promise<T> {
    const since = performance.now();
    let again = false;
    for (let wait = 20; ; wait = Math.min(wait * 2, 500)) {
      this.calls.add();
      try {
        return withOwnKeys(await ask(again));
      } catch (error) {
        const fate = fateOf(error);
        if (fate === 'answered') throw error;
        again ||= fate === 'unknown';
        const maySend = again ? repeats : fate === 'notExecuted';
        if (fate === 'closed' || !maySend || performance.now() - since > within)
          throw again ? unknown(what, error) : unavailable(what, error);
        this.#log.warn(
          { what, fate, err: error },
          'MongoDB did not carry out an operation, or its answer is lost; sending it again',
        );
      }
      await pause(wait);
    }
  }

  noteIndexName(collection: string, { there, declared }: { readonly there: string; readonly declared: string }): void {
    this.#indexNames.set(`${collection}.${there}`, declared);
  }

  /** The declared name of the index that a duplicate key error names, `_id` for the primary one; null for others. */
  duplicateIndexOf(collection: string, error: Parameters<typeof duplicateIndexOf>[0]): string | null {
    const name = duplicateIndexOf(error);
    return this.#indexNames.get(`${collection}.${String(name)}`) ?? name;
  }

  /** The server's major version. */
  async version(): Promise<number> {
    const { versionArray } = await this.repeatable('buildInfo', () => this.db.command({ buildInfo: 1 }));
    return Array.isArray(versionArray) ? Number(versionArray[0]) : 0;
  }

  /**
   * True if the server answers within 0.8 s. The driver's own time limits do not cover a new connection, and a frozen
   * server needs one for each question; so all who ask at the same time share one.
   */
  ping(): Promise<boolean> {
    this.#pinging ??= this.#isAnswered().finally(() => {
      this.#pinging = undefined;
    });
    return within(PING_MS, this.#pinging, false);
  }

  async #isAnswered(): Promise<boolean> {
    this.calls.add();
    try {
      await this.db.command({ ping: 1 }, { timeoutMS: PING_MS });
      return true;
    } catch {
      return false;
    }
  }

  /** The privileges of the user of this connection; null: the server asks nobody for a user. */
  async privileges(): Promise<readonly Privilege[] | null> {
    const command = { connectionStatus: 1, showPrivileges: true };
    const { authInfo } = await this.repeatable('connectionStatus', () =>
      this.db.command(command).catch((error: unknown) => {
        // The embedded engine has no users, and does not know the command.
        if (error instanceof MongoServerError && error.code === UNKNOWN_COMMAND) return NO_USERS;
        throw error;
      }),
    );
    const { authenticatedUsers, authenticatedUserPrivileges } = authInfoShape.parse(authInfo);
    return authenticatedUsers.length === 0 ? null : authenticatedUserPrivileges;
  }

  async close(): Promise<void> {
    await this.#sighted.close();
  }
}

const UNKNOWN_COMMAND = 59;
const NO_USERS = { authInfo: { authenticatedUsers: [] } };

const authInfoShape = z.object({
  authenticatedUsers: z.array(z.unknown()),
  authenticatedUserPrivileges: z
    .array(
      z.object({
        resource: z.object({ db: z.string(), collection: z.string(), anyResource: z.boolean() }).partial(),
        actions: z.array(z.string()),
      }),
    )
    .default([]),
});

/** The server's `hello`. A server that does not answer is asked again for 10 s. */
async function firstAnswer(client: MongoClient, dbName: string, log: StoreLog): Promise<Document> {
  const since = performance.now();
  for (;;) {
    try {
      // If the first connection failed, the client does not connect again by itself.
      await client.connect();
      return await client.db(dbName).command({ hello: 1 });
    } catch (error) {
      if (fateOf(error) === 'answered' || performance.now() - since > OPENING_MS) throw error;
      log.warn({ err: error }, 'MongoDB does not answer yet; asking again');
    }
    await pause(100);
  }
}

/** The write concern that makes a write durable, from the server's `hello`: replica set, router, or standalone. */
export function durabilityOf(hello: Document): WriteConcernSettings {
  return hello['setName'] !== undefined || isRouter(hello) ? BY_MAJORITY : BY_JOURNAL;
}

function isRouter(hello: Document): boolean {
  return hello['msg'] === 'isdbgrid';
}

/** Logs once when a server stops answering, and once when it answers again. */
function watch(client: MongoClient, log: StoreLog): void {
  const lost = new Set<string>();
  client.on('serverHeartbeatFailed', ({ connectionId, failure }) => {
    if (!lost.has(connectionId))
      log.warn({ server: connectionId, err: failure }, 'MongoDB does not answer; the driver keeps trying');
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
  return new UnknownOutcome(
    `${what}: the answer was lost; it is unknown whether the write was done (${messageOf(cause)})`,
    {
      cause,
    },
  );
}
