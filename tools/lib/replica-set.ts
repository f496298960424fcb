import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { BSON, type Document, Long, ObjectId } from 'mongodb';
import { MongoProxy } from './mongo-proxy.ts';
import { type Answer, answerTo, documentIn, onAnswers, onRequests, type Request, upstreamOf } from './mongo-wire.ts';

/** How long a set usually has no primary after the last one was killed or stepped down. */
const ELECTION_MS = 400;

const SET_NAME = 'tideline';

/** What every member answers, whatever its state. */
const ANSWERED_BY_ALL: ReadonlySet<string> = new Set(['ping', 'buildInfo', 'buildinfo', 'endSessions']);
const WRITES = /^(insert|update|delete|findAndModify|bulkWrite|createIndexes|create)$/;

const error = (code: number, codeName: string, errmsg: string) => ({ code, codeName, errmsg });
const NOT_PRIMARY = error(10107, 'NotWritablePrimary', 'not primary');
const NOT_PRIMARY_READ = error(13435, 'NotPrimaryNoSecondaryOk', 'not primary and secondaryOk=false');
const INTERRUPTED = error(11602, 'InterruptedDueToReplStateChange', 'operation was interrupted');
const UNCONFIRMED = error(64, 'WriteConcernTimeout', 'waiting for replication timed out');

/**
 * What a driver sees of a replica set of three, in front of one real MongoDB: greetings with topology versions,
 * elections, refusals of members that are not the primary, interrupted operations, and write concern errors. The
 * members have the same data, so a write that one of them executed is never rolled back.
 */
export class ReplicaSet {
  /** How often a client met each of these. */
  readonly met = { refused: 0, interrupted: 0, lost: 0, unconfirmed: 0 };
  readonly #members: Member[];
  readonly #events = new EventEmitter<{ elected: [] }>();
  #primary: Member | null;
  #term = 1;
  #unconfirmed = 0;
  #plan: { readonly command: string; readonly how: 'kill' | 'stepDown' } | null = null;
  #election: NodeJS.Timeout | undefined;

  private constructor(upstream: () => Socket) {
    this.#members = [0, 1, 2].map(() => new Member(upstream, this));
    this.#primary = this.#members[0] ?? null;
  }

  /** A set before the server of `uri`, with a primary. */
  static async before(uri: string): Promise<ReplicaSet> {
    const set = new ReplicaSet(upstreamOf(uri));
    await Promise.all(set.#members.map((member) => member.start()));
    return set;
  }

  get uri(): string {
    return `mongodb://${this.hosts.join(',')}/?replicaSet=${SET_NAME}`;
  }

  get hosts(): string[] {
    return this.#members.map(({ host }) => host);
  }

  /** Null during an election. */
  get primary(): Member | null {
    return this.#primary;
  }

  /** The number of elections and of the first primary. */
  get term(): number {
    return this.#term;
  }

  /** Kills the primary: its connections break, whatever they wait for. Another member is elected after `electionMs`. */
  async killPrimary(electionMs = ELECTION_MS): Promise<void> {
    const killed = this.#dethrone(electionMs);
    await killed.kill();
  }

  /** The primary refuses new operations, and interrupts those under way. Another member is elected soon afterwards. */
  stepDown(): void {
    this.#dethrone(ELECTION_MS);
  }

  async elected(): Promise<void> {
    if (this.#primary === null) await once(this.#events, 'elected');
  }

  /** Starts killed members again, as secondaries. */
  async restart(): Promise<void> {
    await Promise.all(this.#members.filter(({ isUp }) => !isUp).map((member) => member.start()));
  }

  /** The primary executes the next command of this name, and is killed or steps down before it answers. */
  loseDuring(command: string, how: 'kill' | 'stepDown'): void {
    this.#plan = { command, how };
  }

  /** The next `count` writes are executed, and answered with a write concern error. */
  leaveUnconfirmed(count: number): void {
    this.#unconfirmed = count;
  }

  async close(): Promise<void> {
    clearTimeout(this.#election);
    await Promise.all(this.#members.map((member) => member.kill()));
  }

  /** The server has executed this command for the primary, which has not answered yet. */
  executed(command: string): void {
    if (this.#plan?.command !== command) return;
    const { how } = this.#plan;
    this.#plan = null;
    if (how === 'stepDown') this.stepDown();
    else void this.killPrimary();
  }

  /** Whether the write that has been executed now is one to leave unconfirmed. */
  takeUnconfirmed(): boolean {
    if (this.#unconfirmed === 0) return false;
    this.#unconfirmed -= 1;
    return true;
  }

  #dethrone(electionMs: number): Member {
    const before = this.#primary;
    if (before === null) throw new Error('the set has no primary; wait for `elected`');
    this.#primary = null;
    this.#announce();
    this.#election = setTimeout(() => this.#elect(before), electionMs);
    return before;
  }

  /** The next member that is up; never the last primary. */
  #elect(before: Member): void {
    const at = this.#members.indexOf(before);
    const others = [...this.#members.slice(at + 1), ...this.#members.slice(0, at)];
    this.#primary = others.find(({ isUp }) => isUp) ?? null;
    if (this.#primary === null) throw new Error('no member is up');
    this.#term += 1;
    this.#announce();
    this.#events.emit('elected');
  }

  #announce(): void {
    for (const member of this.#members) member.changed();
  }
}

class Member {
  readonly #set: ReplicaSet;
  readonly #changes = new EventEmitter<{ changed: [] }>().setMaxListeners(0);
  readonly #proxy: MongoProxy;
  /** A new process has a new id, and counts its changes from the start. */
  #processId = new ObjectId();
  #changesSeen = 1;
  #answers = 0;

  constructor(upstream: () => Socket, set: ReplicaSet) {
    this.#proxy = new MongoProxy(upstream, (client, server) => this.#serve(client, server));
    this.#set = set;
  }

  get host(): string {
    return this.#proxy.host;
  }

  get isUp(): boolean {
    return this.#proxy.isOpen;
  }

  async start(): Promise<void> {
    this.#processId = new ObjectId();
    this.#changesSeen = 1;
    await this.#proxy.open();
  }

  kill(): Promise<void> {
    return this.#proxy.close();
  }

  changed(): void {
    this.#changesSeen += 1;
    this.#changes.emit('changed');
  }

  #serve(client: Socket, server: Socket): void {
    const underWay = new Map<number, Request>();
    client.on('close', () => {
      this.#set.met.lost += underWay.size;
    });
    onRequests(client, (request) => {
      if (request.name === 'hello' || request.name.toLowerCase() === 'ismaster') this.#greet(client, request);
      else this.#receive(client, server, underWay, request);
    });
    onAnswers(server, (answer) => {
      const request = underWay.get(answer.to);
      if (request === undefined) return;
      this.#set.executed(request.name);
      if (client.destroyed) return;
      underWay.delete(answer.to);
      client.write(this.#passedOn(request, answer));
    });
  }

  #receive(client: Socket, server: Socket, underWay: Map<number, Request>, request: Request): void {
    if (this.#set.primary === this || ANSWERED_BY_ALL.has(request.name)) {
      underWay.set(request.id, request);
      server.write(request.bytes);
      return;
    }
    this.#set.met.refused += 1;
    client.write(this.#refusal(request, WRITES.test(request.name) ? NOT_PRIMARY : NOT_PRIMARY_READ));
  }

  #passedOn(request: Request, answer: Answer): Buffer {
    if (ANSWERED_BY_ALL.has(request.name)) return answer.bytes;
    if (this.#set.primary !== this) {
      this.#set.met.interrupted += 1;
      return this.#refusal(request, INTERRUPTED);
    }
    if (!WRITES.test(request.name) || !this.#set.takeUnconfirmed()) return answer.bytes;
    this.#set.met.unconfirmed += 1;
    return answerTo(request, this.#nextId(), { ...documentIn(answer), writeConcernError: UNCONFIRMED });
  }

  #refusal(request: Request, why: ReturnType<typeof error>): Buffer {
    return answerTo(request, this.#nextId(), { ok: 0, ...why, topologyVersion: this.#topologyVersion() });
  }

  /** A client that names a version waits for the next one, for a while; it may take answers until it leaves. */
  #greet(client: Socket, request: Request): void {
    const { topologyVersion: known, maxAwaitTimeMS } = request.command;
    if (known === undefined || maxAwaitTimeMS === undefined) {
      client.write(answerTo(request, this.#nextId(), this.#hello()));
      return;
    }
    const isBehind = !this.#processId.equals(known.processId) || Number(known.counter) < this.#changesSeen;
    void this.#greetAtChange(client, request, isBehind, Number(maxAwaitTimeMS));
  }

  async #greetAtChange(client: Socket, request: Request, isBehind: boolean, waitMs: number): Promise<void> {
    let at = request.id;
    for (let first = true; !client.destroyed; first = false) {
      if (!first || !isBehind) await this.#change(client, waitMs);
      if (client.destroyed) return;
      const id = this.#nextId();
      client.write(answerTo({ ...request, id: at }, id, this.#hello(), request.exhaustAllowed));
      if (!request.exhaustAllowed) return;
      at = id;
    }
  }

  /** The next change, the end of `waitMs`, or that of the connection. */
  #change(client: Socket, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#changes.off('changed', done);
        client.off('close', done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.#changes.once('changed', done);
      client.once('close', done);
    });
  }

  #hello(): Document {
    const { primary, term, hosts } = this.#set;
    const isPrimary = primary === this;
    return {
      helloOk: true,
      isWritablePrimary: isPrimary,
      ismaster: isPrimary,
      secondary: !isPrimary,
      setName: SET_NAME,
      setVersion: 1,
      hosts,
      me: this.host,
      ...(primary === null ? {} : { primary: primary.host }),
      ...(isPrimary
        ? { electionId: ObjectId.createFromHexString(`7fffffff${term.toString(16).padStart(16, '0')}`) }
        : {}),
      topologyVersion: this.#topologyVersion(),
      lastWrite: {
        opTime: { ts: BSON.Timestamp.fromBits(1, Math.floor(Date.now() / 1000)), t: Long.fromNumber(term) },
        lastWriteDate: new Date(),
      },
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      minWireVersion: 0,
      maxWireVersion: 25,
      localTime: new Date(),
      readOnly: false,
      ok: 1,
    };
  }

  #topologyVersion(): Document {
    return { processId: this.#processId, counter: Long.fromNumber(this.#changesSeen) };
  }

  #nextId(): number {
    this.#answers += 1;
    return this.#answers;
  }
}
