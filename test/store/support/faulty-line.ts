import type { Socket } from 'node:net';
import type { Document } from 'mongodb';
import { MongoProxy } from '../../../tools/lib/mongo-proxy.ts';
import { onAnswers, onRequests, type Request, upstreamOf } from '../../../tools/lib/mongo-wire.ts';

/** The fault of one command. `dropReply`: the server executes it, and the line is cut before the answer. */
interface Plan {
  readonly command: string;
  readonly does: 'dropReply' | 'hold';
}

/**
 * A line between a client and a real MongoDB on loopback. It counts commands, cuts the line at a chosen answer, or
 * holds a command back and sends it later, when its client has stopped waiting.
 */
export class FaultyLine {
  readonly #proxy: MongoProxy;
  readonly #upstream: () => Socket;
  readonly #commands = new Map<string, number>();
  #last: Document[] = [];
  #plans: Plan[] = [];
  #held: (() => Promise<void>)[] = [];
  #refuses = false;
  #isFrozen = false;
  #delayMs = 0;

  private constructor(upstream: () => Socket) {
    this.#upstream = upstream;
    this.#proxy = new MongoProxy(upstream, (client, server) => this.#serve(client, server));
  }

  static async before(uri: string): Promise<FaultyLine> {
    const line = new FaultyLine(upstreamOf(uri));
    await line.#proxy.open();
    return line;
  }

  get uri(): string {
    return `${this.#proxy.uri}&serverSelectionTimeoutMS=400&minHeartbeatFrequencyMS=50`;
  }

  /** Drops the next answer to this command, once for each call; the command itself is executed. */
  dropReply(command: string): void {
    this.#plans.push({ command, does: 'dropReply' });
  }

  /** Keeps the next such command from the server and cuts its line; `release` sends it. */
  hold(command: string): void {
    this.#plans.push({ command, does: 'hold' });
  }

  /** Sends the held command, and waits until the server has executed it. */
  async release(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    for (const send of held) await send();
  }

  /** The number of planned faults that have not happened. */
  get planned(): number {
    return this.#plans.length;
  }

  /** Commands since the last call, by name, without the driver's own. */
  takeCommands(): Record<string, number> {
    const counted = Object.fromEntries(this.#commands);
    this.#commands.clear();
    return counted;
  }

  /** The last command in the form for `explain`. */
  get lastCommand(): Document {
    return this.lastCommands.at(-1) ?? {};
  }

  /** The last ten commands in the form for `explain`. */
  get lastCommands(): Document[] {
    return this.#last.map(({ $db: _, lsid: __, ...command }) => command);
  }

  /** Closes every line, and accepts none until `restore`. */
  cut(): void {
    this.#refuses = true;
    for (const line of this.#proxy.sockets) line.destroy();
  }

  /** Keeps every line open and carries no byte until `restore`, like a server whose process is stopped. */
  freeze(): void {
    this.#isFrozen = true;
    for (const line of this.#proxy.sockets) line.pause();
  }

  /** Delays each answer by so many milliseconds until `restore`. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  restore(): void {
    this.#refuses = false;
    this.#isFrozen = false;
    this.#delayMs = 0;
    for (const line of this.#proxy.sockets) line.resume();
  }

  close(): Promise<void> {
    return this.#proxy.close();
  }

  #serve(client: Socket, server: Socket): void {
    if (this.#refuses) {
      client.destroy();
      return;
    }
    const dropped = new Set<number>();
    onRequests(client, (request) => {
      const plan = this.#planFor(request);
      if (plan?.does === 'hold') {
        this.#held.push(() => this.#deliver(request));
        client.destroy();
        return;
      }
      if (plan?.does === 'dropReply') dropped.add(request.id);
      server.write(request.bytes);
    });
    onAnswers(server, ({ to, bytes }) => {
      if (dropped.has(to)) client.destroy();
      else if (this.#delayMs === 0) client.write(bytes);
      else setTimeout(() => client.write(bytes), this.#delayMs).unref();
    });
    if (this.#isFrozen) for (const line of [client, server]) line.pause();
  }

  #planFor({ name, command }: Request): Plan | undefined {
    if (DRIVERS_OWN.has(name)) return undefined;
    this.#last = [...this.#last.slice(-9), command];
    this.#commands.set(name, (this.#commands.get(name) ?? 0) + 1);
    const at = this.#plans.findIndex((plan) => plan.command === name);
    return at < 0 ? undefined : this.#plans.splice(at, 1)[0];
  }

  /** On a separate line, like a message that the network kept for a while. */
  async #deliver({ bytes }: Request): Promise<void> {
    const server = this.#upstream();
    server.on('error', () => server.destroy());
    const answered = new Promise<void>((resolve) => onAnswers(server, () => resolve()));
    server.write(bytes);
    await answered;
    server.destroy();
  }
}

const DRIVERS_OWN: ReadonlySet<string> = new Set(['hello', 'ismaster', 'isMaster', 'endSessions']);
