import type { ChildProcess } from 'node:child_process';
import { DevnetError } from '../src/service/devnet-error.ts';
import { isRecord } from './json.ts';
import type { PartContext } from './part.ts';
import { describeExit, Tail } from './tail.ts';

export interface FirstWord<T> {
  /** As a sentence begins with it. */
  readonly name: string;
  /** What the child says when it is ready; undefined: it says something else. */
  readonly read: (message: Record<string, unknown>) => T | undefined;
  readonly isStopping: () => boolean;
  readonly died: PartContext['died'];
}

/**
 * Waits until the child is ready; after that, an end that was not asked for is reported as death. Throws a DevnetError with
 * what the child says has failed, or, when it ends before it is ready, with what it wrote last.
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
      const why = `${name} has ended (${describeExit(code, signal)}): ${said?.text() || 'it said nothing'}`;
      if (!ready) return reject(new DevnetError(why));
      if (!isStopping()) died(why);
    });
  });
}

/** Asks the child to end, and kills it after `patienceMs`; resolves when it has ended. */
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
