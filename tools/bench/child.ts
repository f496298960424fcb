import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { z } from 'zod';
import { NODE_ENV, NODE_FLAGS } from './service.ts';

/** A process of a benchmark's own that answers messages one at a time. */
export interface Child {
  /** The next message of the process, after `message` was sent to it. Throws when it ends instead. */
  ask<T>(message: object, answer: z.ZodType<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Starts a module of this folder as a process; `moduleUrl` is its own `import.meta.url` and `file` what to resolve there. */
export function startChild(moduleUrl: string, file: string, args: readonly string[] = []): Child {
  const isBuilt = moduleUrl.endsWith('.js');
  const path = new URL(isBuilt ? file.replace(/\.ts$/, '.js') : file, moduleUrl);
  const child = fork(path, [...args], {
    execArgv: [...NODE_FLAGS, ...(isBuilt ? [] : ['--import', 'tsx'])],
    env: { ...process.env, NODE_ENV },
  });
  const exited = once(child, 'exit');
  return {
    ask: async (message, answer) => {
      const answered = nextMessage(child, file);
      // One that has ended is told of by its end; without somebody who hears of it, a closed channel would end this process too.
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
