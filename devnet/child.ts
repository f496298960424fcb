import { type ChildProcess, fork } from 'node:child_process';
import { messageOf } from '../src/errors/message-of.ts';
import { DevnetError } from '../src/service/devnet-error.ts';
import { isRecord } from './json.ts';
import { entryBeside } from './own-runtime.ts';
import type { Part, PartContext } from './part.ts';
import type { PartReady } from './protocol.ts';
import { describeExit, Tail } from './tail.ts';

interface FirstWord<T> {
  /** The child's name at the beginning of a sentence. */
  readonly name: string;
  /** Reads the child's message that it is ready; undefined for any other message. */
  readonly read: (message: Record<string, unknown>) => T | undefined;
  readonly isStopping: () => boolean;
  readonly died: PartContext['died'];
}

/**
 * Waits until the child is ready. After that, an unexpected end is reported as its death. Throws a DevnetError with the
 * failure that the child reports, or with its last output if it ends before it is ready.
 */
export function firstWord<T>(child: ChildProcess, { name, read, isStopping, died }: FirstWord<T>): Promise<T> {
  const said = child.stderr ? new Tail(child.stderr) : undefined;
  return new Promise((resolve, reject) => {
    let ready = false;
    child.on('message', (message) => {
      if (!isRecord(message)) return;
      if (message['type'] === 'failed') return reject(new DevnetError(String(message['message'])));
      const word = read(message);
      if (word === undefined) return;
      ready = true;
      resolve(word);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const why = `${name} has ended (${describeExit(code, signal)}): ${said?.text() || 'without output'}`;
      if (!ready) return reject(new DevnetError(why));
      if (!isStopping()) died(why);
    });
  });
}

interface ForkedPart<T> extends Pick<FirstWord<T>, 'name' | 'read'> {
  /** The file of the process in this folder, without extension. */
  readonly entry: string;
  /** The arguments of the process. Runs before each start. */
  prepare(): Promise<readonly string[]>;
  /** Keeps the address for the next start or for others. */
  ready(address: T): Promise<PartReady>;
  /** Runs before the process is asked to end. */
  stopping?(): Promise<void>;
  /** After this time, in milliseconds, the process is killed. */
  readonly stopMs: number;
}

/** Runs the process of a part, and reports its death. */
export function forkedPart<T>({ died, log }: PartContext, part: ForkedPart<T>): Part {
  let child: ChildProcess | undefined;
  let isStopping = false;

  return {
    async start() {
      const args = await part.prepare();
      const { file, execArgv } = entryBeside(part.entry);
      child = fork(file, args, { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
      const { name, read } = part;
      return part.ready(await firstWord(child, { name, read, isStopping: () => isStopping, died }));
    },
    async stop() {
      isStopping = true;
      try {
        await part.stopping?.();
        if (child) await endChild(child, part.stopMs);
      } catch (error) {
        log(`${part.name} did not stop cleanly: ${messageOf(error)}`);
      }
    },
    kill() {
      isStopping = true;
      child?.kill('SIGKILL');
    },
  };
}

/** Asks the child to end, and kills it after `patienceMs`. Resolves when it has ended. */
function endChild(child: ChildProcess, patienceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const patience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    child.once('exit', () => {
      clearTimeout(patience);
      resolve();
    });
    if (child.connected) child.send('stop');
    else child.kill('SIGKILL');
  });
}

/** A running part in its own process. */
interface OpenPart {
  /** The address, as the part reads it from the message that the process is ready. */
  readonly address: object;
  close(): void | Promise<void>;
}

/**
 * Runs a part in this process, which {@link forkedPart} has forked. It sends `ready` or `failed`, and closes at the
 * message `stop` or when its parent is gone, even after a kill.
 *
 * @param open gets the arguments of the process
 */
export function runPart(open: (args: readonly string[]) => Promise<OpenPart>): void {
  let part: OpenPart | undefined;
  let isClosing = false;
  const close = async () => {
    if (isClosing) return;
    isClosing = true;
    await part?.close();
    process.exit(0);
  };
  process.on('message', (message) => {
    if (message === 'stop') void close();
  });
  process.on('disconnect', () => void close());
  const main = async () => {
    part = await open(process.argv.slice(2));
    if (!isClosing) process.send?.({ type: 'ready', ...part.address });
  };
  main().catch((error: unknown) => {
    process.send?.({ type: 'failed', message: messageOf(error) }, () => process.exit(1));
  });
}
