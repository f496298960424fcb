import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { z } from 'zod';
import { NODE_ENV, NODE_FLAGS } from './service.ts';

/** A process of a benchmark that answers messages one at a time. */
export interface Child {
  readonly pid: number;
  /** Sends `message` and resolves with the next message of the process. Throws if the process ends first. */
  ask<T>(message: object, answer: z.ZodType<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Starts a module as a process. `file` is resolved against `moduleUrl`, the caller's `import.meta.url`. */
export function startChild(moduleUrl: string, file: string, args: readonly string[] = []): Child {
  const isBuilt = moduleUrl.endsWith('.js');
  const path = new URL(isBuilt ? file.replace(/\.ts$/, '.js') : file, moduleUrl);
  const child = fork(path, [...args], {
    execArgv: [...NODE_FLAGS, ...(isBuilt ? [] : ['--import', 'tsx'])],
    env: { ...process.env, NODE_ENV },
  });
  const exited = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    ask: async (message, answer) => {
      const answered = nextMessage(child, file);
      // The end of the process reports a failed send. Without the callback, a closed channel would end this process
      // too.
      child.send(message, () => undefined);
      return answer.parse(await answered);
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The same for a world, which stops it at its end. */
export function childOf(
  { onStop }: { onStop(stop: () => Promise<unknown>): void },
  moduleUrl: string,
  file: string,
  args: readonly string[] = [],
): Child {
  const child = startChild(moduleUrl, file, args);
  onStop(() => child.stop());
  return child;
}

function nextMessage(child: ChildProcess, file: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (code: number | null, signal: string | null) => {
      child.off('message', take);
      reject(new Error(`${file} ended with ${signal ?? code} where an answer was expected`));
    };
    const take = (message: unknown) => {
      child.off('exit', end);
      resolve(message);
    };
    if (child.exitCode !== null || child.signalCode !== null) end(child.exitCode, child.signalCode);
    else child.once('exit', end).once('message', take);
  });
}
