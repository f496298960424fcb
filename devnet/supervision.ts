import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { messageOf } from '../src/errors/message-of.ts';
import { evmPart } from './evm-part.ts';
import { deleteRunFolder, folderFiles, makeRunFolder } from './folder.ts';
import { mongoPart } from './mongo-part.ts';
import type { Part, PartContext } from './part.ts';
import {
  type PartName,
  parseServiceMessage,
  receive,
  type ServiceMessage,
  type SupervisorMessage,
  send,
} from './protocol.ts';
import { lockWithSocket, type SocketLock } from './socket-lock.ts';
import { solanaPart } from './solana-part.ts';

export interface SupervisionOptions extends Pick<PartContext, 'folder' | 'savesEvm' | 'isEvmLarge' | 'log'> {
  version: string;
  /** How long the supervisor stays after the last service has died. */
  lingerMs: number;
}

/** How often the supervisor checks that it still owns the data folder, milliseconds. */
const HOLD_CHECK_MS = 2000;

/** All parts that a supervisor can run. */
const PARTS: Record<PartName, (context: PartContext) => Part> = { mongo: mongoPart, evm: evmPart, solana: solanaPart };

type Ports = Pick<PartContext, 'evmPort' | 'solanaPort'>;

interface RunningPart {
  part: Part;
  /** The result for all services that request the part: `ready` or `failed`. */
  outcome: Promise<SupervisorMessage>;
}

/**
 * Runs the parts of one data folder for the connected services, and ends when none is left: at once if the last one
 * left, or some time later if it died, so that a restarted service finds everything unchanged. If a part dies, the
 * others end too: the supervision notifies the services and saves the state that it can save.
 */
export class Supervision {
  /** Resolves with the exit code when everything has ended. */
  readonly ended: Promise<number>;

  readonly #options: SupervisionOptions;
  readonly #lock: SocketLock;
  readonly #server: Server;
  readonly #runFolder: string;
  readonly #connections = new Set<Socket>();
  readonly #services = new Set<Socket>();
  readonly #parts = new Map<PartName, RunningPart>();
  readonly #holdCheck: NodeJS.Timeout;
  #linger: NodeJS.Timeout | undefined;
  #ending = false;
  #reportEnd: (exitCode: number) => void = () => undefined;

  /** Takes the folder. `undefined`: another supervisor, which is alive, has it. */
  static async begin(options: SupervisionOptions): Promise<Supervision | undefined> {
    // Connections wait here until the lock is held and the run folder exists.
    const early: Socket[] = [];
    const welcomeLater = (socket: Socket) => {
      socket.on('error', () => undefined);
      early.push(socket);
    };
    const server = createServer(welcomeLater);
    const lock = await lockWithSocket(server, options.folder.path, folderFiles.socket);
    if (!lock) {
      for (const socket of early) socket.destroy();
      server.close();
      return undefined;
    }
    const runFolder = await makeRunFolder(options.folder, options.version);
    const supervision = new Supervision(options, lock, server, runFolder);
    server.off('connection', welcomeLater);
    for (const socket of early) supervision.#serve(socket);
    return supervision;
  }

  private constructor(options: SupervisionOptions, lock: SocketLock, server: Server, runFolder: string) {
    this.#options = options;
    this.#lock = lock;
    this.#server = server;
    this.#runFolder = runFolder;
    this.ended = new Promise((resolve) => {
      this.#reportEnd = resolve;
    });
    server.on('connection', (socket) => this.#serve(socket));
    this.#holdCheck = setInterval(() => void this.#endIfFolderIsGone(), HOLD_CHECK_MS);
    this.#startLingering();
  }

  /** Saves, ends all parts and releases the folder. Connected services receive `why`. */
  async end(exitCode: number, why?: string): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    clearTimeout(this.#linger);
    clearInterval(this.#holdCheck);
    if (why !== undefined) {
      this.#options.log(why);
      this.#notifyAll({ type: 'lost', why });
    }
    await Promise.all([...this.#parts.values()].map(({ part }) => part.stop()));
    await this.#giveUp(exitCode);
  }

  async #giveUp(exitCode: number): Promise<void> {
    try {
      await rm(this.#runFolder, { recursive: true, force: true });
      if (await this.#lock.isHeld()) await deleteRunFolder(this.#options.folder.path);
    } catch (error) {
      this.#options.log(`Could not delete the run folder: ${messageOf(error)}`);
    }
    await this.#lock.release();
    this.#server.close();
    for (const socket of this.#connections) socket.destroy();
    this.#options.log(`The supervisor has ended with exit code ${exitCode}`);
    this.#reportEnd(exitCode);
  }

  #serve(socket: Socket): void {
    this.#connections.add(socket);
    receive(socket, parseServiceMessage, (message) => this.#take(socket, message));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#connections.delete(socket);
      if (this.#services.delete(socket) && this.#services.size === 0) this.#startLingering();
    });
  }

  #take(socket: Socket, message: ServiceMessage): void {
    switch (message.type) {
      case 'hello':
        this.#welcome(socket, message);
        break;
      case 'leave':
        this.#letGo(socket);
        break;
      case 'end':
        this.#services.delete(socket);
        void this.end(0, message.why);
        break;
      default:
        message satisfies never;
    }
  }

  #welcome(socket: Socket, { version, want, ...ports }: ServiceMessage & { type: 'hello' }): void {
    const own = this.#options;
    const { id: folderId } = own.folder;
    send(socket, { type: 'welcome', version: own.version, folderId, pid: process.pid, ending: this.#ending });
    if (this.#ending || version !== own.version) return;
    this.#services.add(socket);
    clearTimeout(this.#linger);
    for (const name of want) void this.#outcomeOf(name, ports).then((outcome) => send(socket, outcome));
  }

  #letGo(socket: Socket): void {
    this.#services.delete(socket);
    const isLast = this.#services.size === 0;
    send(socket, { type: 'bye', ending: isLast || this.#ending });
    if (isLast) void this.end(0);
  }

  #outcomeOf(name: PartName, ports: Ports): Promise<SupervisorMessage> {
    const running = this.#parts.get(name) ?? this.#startPart(name, ports);
    this.#parts.set(name, running);
    return running.outcome;
  }

  #startPart(name: PartName, { evmPort, solanaPort }: Ports): RunningPart {
    const { folder, savesEvm, isEvmLarge, log } = this.#options;
    const died = (why: string) => void this.end(1, why);
    const how = { savesEvm, isEvmLarge, died, log };
    const part = PARTS[name]({ folder, runFolder: this.#runFolder, evmPort, solanaPort, ...how });
    return { part, outcome: part.start().catch((error) => this.#notStarted(name, part, error)) };
  }

  async #notStarted(name: PartName, part: Part, error: unknown): Promise<SupervisorMessage> {
    const message = messageOf(error);
    this.#options.log(message);
    await part.stop();
    // The next request may succeed, because somebody may have fixed the problem.
    this.#parts.delete(name);
    return { type: 'failed', part: name, message };
  }

  #notifyAll(message: SupervisorMessage): void {
    for (const socket of this.#services) send(socket, message);
  }

  #startLingering(): void {
    if (this.#ending) return;
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => void this.end(0), this.#options.lingerMs);
  }

  async #endIfFolderIsGone(): Promise<void> {
    if (this.#ending || (await this.#lock.isHeld())) return;
    this.#ending = true;
    clearTimeout(this.#linger);
    clearInterval(this.#holdCheck);
    const why = `${this.#options.folder.path} is gone or another supervisor's`;
    this.#notifyAll({ type: 'lost', why });
    for (const { part } of this.#parts.values()) part.kill();
    await this.#giveUp(1);
  }
}
