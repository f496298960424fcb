import { once } from 'node:events';
import { createServer, connect as netConnect, type Server, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** The fault of one command. `dropReply`: the server executes it, and the line is cut before the answer. */
interface Plan {
  readonly command: string;
  readonly does: 'dropReply' | 'hold';
}

/**
 * A line between a client and a real MongoDB on loopback. It counts commands, cuts the line at a chosen answer, or holds a
 * command back and sends it later, when its client has stopped waiting.
 */
export class FaultyLine {
  readonly #server: Server;
  readonly #upstream: () => Socket;
  readonly #lines = new Set<Socket>();
  readonly #commands = new Map<string, number>();
  #last: Document = {};
  #plans: Plan[] = [];
  #held: (() => Promise<void>)[] = [];
  #refuses = false;

  private constructor(upstream: () => Socket) {
    this.#upstream = upstream;
    this.#server = createServer((client) => this.#serve(client));
  }

  static async before(uri: string): Promise<FaultyLine> {
    const proxy = new FaultyLine(upstreamOf(uri));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get uri(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen on a port');
    return `mongodb://127.0.0.1:${address.port}/?directConnection=true&serverSelectionTimeoutMS=400&minHeartbeatFrequencyMS=50`;
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
    const { $db: _, lsid: __, ...command } = this.#last;
    return command;
  }

  /** Closes every line, and accepts none until `restore`. */
  cut(): void {
    this.#refuses = true;
    for (const line of this.#lines) line.destroy();
  }

  restore(): void {
    this.#refuses = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(client: Socket): void {
    this.#keep(client);
    if (this.#refuses) {
      client.destroy();
      return;
    }
    const server = this.#upstream();
    this.#keep(server);
    const dropped = new Set<number>();
    onMessages(client, (message) => {
      const plan = this.#planFor(message);
      if (plan?.does === 'hold') {
        this.#held.push(() => this.#deliver(message));
        client.destroy();
        return;
      }
      if (plan?.does === 'dropReply') dropped.add(message.readInt32LE(4));
      server.write(message);
    });
    onMessages(server, (message) => {
      if (dropped.has(message.readInt32LE(8))) client.destroy();
      else client.write(message);
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  #planFor(message: Buffer): Plan | undefined {
    const body = bodyOf(message);
    const command = Object.keys(body)[0];
    if (command === undefined || DRIVERS_OWN.has(command)) return undefined;
    this.#last = body;
    this.#commands.set(command, (this.#commands.get(command) ?? 0) + 1);
    const at = this.#plans.findIndex((plan) => plan.command === command);
    return at < 0 ? undefined : this.#plans.splice(at, 1)[0];
  }

  /** On a separate line, like a message that the network kept for a while. */
  async #deliver(message: Buffer): Promise<void> {
    const server = this.#upstream();
    this.#keep(server);
    const answered = new Promise<void>((resolve) => onMessages(server, () => resolve()));
    server.write(message);
    await answered;
    server.destroy();
  }

  #keep(socket: Socket): void {
    this.#lines.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#lines.delete(socket));
  }
}

const OP_MSG = 2013;
const DRIVERS_OWN: ReadonlySet<string> = new Set(['hello', 'ismaster', 'isMaster', 'endSessions']);

/** The command in a message; undefined for the driver's first greeting, which has another form. */
function bodyOf(message: Buffer): Document {
  if (message.readInt32LE(12) !== OP_MSG) return {};
  // After the header come the flags, then each section after its kind. Kind 1 (a list of documents) may come first.
  let at = 20;
  while (at < message.length && message[at] === 1) at += 1 + message.readInt32LE(at + 1);
  const size = message.readInt32LE(at + 1);
  return BSON.deserialize(message.subarray(at + 1, at + 1 + size));
}

/** Calls `take` for each whole message; the first four bytes are its length. */
function onMessages(socket: Socket, take: (message: Buffer) => void): void {
  let kept: Buffer[] = [];
  let have = 0;
  let needed = 4;
  socket.on('data', (chunk: Buffer) => {
    kept.push(chunk);
    have += chunk.length;
    while (have >= needed) {
      const all = Buffer.concat(kept);
      const length = all.readInt32LE(0);
      needed = length;
      kept = [all];
      if (have < length) return;
      kept = [all.subarray(length)];
      have -= length;
      needed = 4;
      take(all.subarray(0, length));
    }
  });
}

function upstreamOf(uri: string): () => Socket {
  const host = /^mongodb:\/\/([^/?]+)/.exec(uri)?.[1];
  if (host === undefined) throw new Error(`no host in ${uri}`);
  const decoded = decodeURIComponent(host);
  if (decoded.endsWith('.sock')) return () => netConnect(decoded);
  const [name = '127.0.0.1', port = '27017'] = decoded.split(':');
  return () => netConnect(Number(port), name);
}
