import type { ChildProcess } from 'node:child_process';
import { DevnetError } from '../src/service/devnet-error.ts';
import { isRecord } from './json.ts';
import type { PartContext } from './part.ts';
import { describeExit, Tail } from './tail.ts';

export interface FirstWord<T> {
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

/** Asks the child to end, and kills it after `patienceMs`. Resolves when it has ended. */
export function endChild(child: ChildProcess, patienceMs: number): Promise<void> {
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
